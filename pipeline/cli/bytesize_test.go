package cli

import "testing"

func TestSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]byteSize{"1": 1, "768MiB": 768 << 20, "4GiB": 4 << 30, "8388607TiB": 8388607 << 40} {
		var got byteSize
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "4GB", "1.5GiB", "GiB", "8388608TiB", "1e9", "99999999999999999999"} {
		var got byteSize
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}
