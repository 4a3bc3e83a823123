package testkit

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// Fault is something that goes wrong with some requests.
type Fault struct {
	// Match is a part of "hub" or "cdn" followed by the path.
	Match string
	// After lets so many matching requests pass first; Times is how many are
	// hit then, 0 all. Of these Every lets all pass but each n-th, 0 none.
	After, Times, Every int

	// Status, Header and Body answer in place of the server if Status is set.
	Status int
	Header map[string]string
	Body   string

	// CutAfter breaks the connection after so many bytes of the body.
	CutAfter int
	// Stall keeps the connection open and silent instead of breaking it.
	Stall bool
	// Flip changes a byte of the body, by turns in another way.
	Flip bool
	// Lost lets the server do what it was asked for and breaks the connection before the
	// reply. Silent does it and never replies.
	Lost, Silent bool
	// TakeOnly breaks the connection after so many bytes of what the client sends, and
	// FlipSent changes a byte of it.
	TakeOnly int64
	FlipSent bool
	// NoRange makes the server ignore the Range header.
	NoRange bool

	seen, hit int
}

// AddFault declares a fault. Of several that match, the first that is due acts.
func (h *Hub) AddFault(f Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = append(h.faults, &f)
}

// Hit counts the requests that faults have spoiled.
func (h *Hub) Hit() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.faults {
		n += f.hit
	}
	return n
}

// ClearFaults ends all faults.
func (h *Hub) ClearFaults() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = nil
}

// dueFault finds the fault that acts on a request, and how often it did before; h.mu
// is held.
func (h *Hub) dueFault(place string) (f *Fault, hit int) {
	for _, f := range h.faults {
		if !strings.Contains(place, f.Match) {
			continue
		}
		f.seen++
		if n := f.seen - f.After; n > 0 && (f.Times == 0 || n <= f.Times) && (f.Every == 0 || n%f.Every == 0) {
			f.hit++
			return f, f.hit - 1
		}
	}
	return nil, 0
}

func (f *Fault) answers() bool { return f.Status != 0 }

func (f *Fault) write(w http.ResponseWriter) {
	for name, value := range f.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(f.Status)
	_, _ = w.Write([]byte(f.Body))
}

// serve answers a request, spoiled. A nil fault spoils nothing.
func (f *Fault) serve(w http.ResponseWriter, r *http.Request, hit int, next http.HandlerFunc) {
	switch {
	case f == nil:
	case f.answers():
		_, _ = io.Copy(io.Discard, r.Body)
		f.write(w)
		return
	case f.TakeOnly > 0:
		_, _ = io.CopyN(io.Discard, r.Body, f.TakeOnly)
		panic(http.ErrAbortHandler)
	case f.Lost, f.Silent:
		next(httptest.NewRecorder(), r)
		if f.Silent {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	case f.FlipSent:
		b, err := io.ReadAll(r.Body)
		if err == nil && len(b) > 0 {
			b[0] ^= 1
		}
		r.Body = io.NopCloser(bytes.NewReader(b))
	}
	next(f.wrap(w, r, hit), r)
}

// wrap spoils a good answer. A nil fault spoils nothing.
func (f *Fault) wrap(w http.ResponseWriter, r *http.Request, hit int) http.ResponseWriter {
	if f == nil {
		return w
	}
	if f.NoRange {
		r.Header.Del("Range")
	}
	for name, value := range f.Header {
		w.Header().Set(name, value)
	}
	return &spoiledWriter{ResponseWriter: w, fault: f, mask: byte(1 + hit%255), gone: r.Context().Done()}
}

type spoiledWriter struct {
	http.ResponseWriter
	fault *Fault
	mask  byte            // of the bits that are flipped
	gone  <-chan struct{} // closed when the client has hung up
}

// WriteHeader gives the headers of the fault, whatever the server set.
func (s *spoiledWriter) WriteHeader(status int) {
	for name, value := range s.fault.Header {
		s.Header().Set(name, value)
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *spoiledWriter) Write(b []byte) (int, error) {
	if s.fault.Flip && len(b) > 0 {
		b = append([]byte{b[0] ^ s.mask}, b[1:]...)
	}
	if n := s.fault.CutAfter; n > 0 && n < len(b) {
		_, _ = s.ResponseWriter.Write(b[:n])
		if fl, ok := s.ResponseWriter.(http.Flusher); ok {
			fl.Flush()
		}
		if s.fault.Stall {
			<-s.gone
		}
		panic(http.ErrAbortHandler)
	}
	return s.ResponseWriter.Write(b)
}
