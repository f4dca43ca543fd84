module github.com/lukpank/go-glpk

go 1.26.0
