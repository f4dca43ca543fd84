package goals

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner"
)

func TestProbe(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/rulesheets/*.kif")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		g, _, err := gdl.Load(context.Background(), f, b)
	
		if err != nil || g == nil || len(g.Roles) < 2 {
			continue
		}
		ctx, c := context.WithTimeout(context.Background(), 20*time.Second)
		m, err := reasoner.New(ctx, g, reasoner.Options{Budget: 15 * time.Second})
		c()
		if err != nil || len(m.Names().Players()) != 2 {
			continue
		}
		ctx, c = context.WithTimeout(context.Background(), 5*time.Second)
		began := time.Now()
		sum, ok := m.ProvedGoalSum(ctx)
		took := time.Since(began)
		v := newVisit(m)
		ctx2, c2 := context.WithTimeout(context.Background(), time.Second)
		began = time.Now()
		all := v.run(ctx2)
		c2()
		fmt.Println(filepath.Base(f), m.Info().Engine, sum, ok, took.Round(time.Millisecond), "visit", all, v.varies, v.fault != nil, time.Since(began).Round(time.Millisecond))
		c()
	}
}
