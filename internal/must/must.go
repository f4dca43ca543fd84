// Package must ends tests at errors that they do not expect.
package must

// tester is the part of testing.TB, and of the tests of rapid, that ends a test.
type tester interface {
	Helper()
	Fatal(args ...any)
}

// OK ends the test if there is an error.
func OK(t tester, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// Get returns a function that returns the value, or ends the test if there is an error: must.Get(os.Open(name))(t).
func Get[V any](v V, err error) func(t tester) V {
	return func(t tester) V {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		return v
	}
}
