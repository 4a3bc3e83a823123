package encoding

import (
	"crypto/sha256"
	"reflect"
	"testing"
)

func FuzzDecodeRow(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 0})
	f.Add([]byte("\x00\x01\x01a\x01b\x01c\x01\x00\x00"))
	key := Sum{1}
	f.Fuzz(func(t *testing.T, fields []byte) {
		body := append(key[:], fields...)
		check := sha256.Sum256(body)
		body = append(body, check[:checkLen]...)
		_, r, err := DecodeRow(body, map[string]string{})
		if err != nil {
			return
		}
		again, err := EncodeRow(key, r)
		if err != nil {
			t.Fatal(err)
		}
		_, back, err := DecodeRow(again, map[string]string{})
		if err != nil || !reflect.DeepEqual(r, back) {
			t.Fatalf("%+v became %+v (%v)", r, back, err)
		}
	})
}
