//go:build !glpk

package matrix

import "errors"

// errNoGLPK describes the installation of GLPK.
var errNoGLPK = errors.New("GLPK is not part of this program: install libglpk (Debian: apt-get install libglpk-dev) and build with -tags glpk")

func newGLPK() (Engine, error) { return nil, errNoGLPK }

func maximizeLinear(*Linear) (float64, []float64, error) { return 0, nil, errNoGLPK }
