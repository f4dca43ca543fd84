// Package must ends tests at errors that they do not expect.
package must

// tester is the part of testing.TB, and of the tests of rapid, that ends a test.
type tester interface {
	Helper()
	Fatal(args ...any)
}

// OK ends the test if there is an error.
func OK(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns a function that returns the value, or ends the test if there is an error: must.Get(os.Open(name))(t).
func Get[V any](v V, err error) func(t tester) V {
	return func(t tester) V {
		t.Helper()
		OK(t, err)
		return v
	}
}

// Get2 is Get for functions with two results beside the error.
func Get2[V, W any](v V, w W, err error) func(t tester) (V, W) {
	return func(t tester) (V, W) {
		t.Helper()
		OK(t, err)
		return v, w
	}
}
