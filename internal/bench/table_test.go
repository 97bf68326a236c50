package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A comparison is one line of the table: what we took, and what the anchor took
// in the same rounds.
type comparison struct {
	name   string // what is measured
	anchor string // what it is compared with
	unit   unit
	now    goal // to be reached now
	aim    goal // to be reached in the end

	ours, base []float64 // one for each round
}

type unit int

const (
	nanoseconds unit = iota
	memory
	number
)

// A goal bounds a comparison. Members that are zero bound nothing.
type goal struct {
	p50, p99 float64 // as multiples of the anchor's
	worst    float64 // the greatest quotient of one round
	most     float64 // in the comparison's unit
	none     bool    // there is to be nothing at all
}

// table collects the comparisons of a run, in the order they were begun. What is
// measured twice (-count) is one line.
type table struct {
	mu   sync.Mutex
	rows []*comparison
}

var results table

// compare begins a line of the table.
func (t *table) compare(c comparison) *comparison {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.rows, func(o *comparison) bool { return o.name == c.name && o.anchor == c.anchor })
	if i >= 0 {
		return t.rows[i]
	}
	t.rows = append(t.rows, &c)
	return &c
}

// rowsVariable names a file with lines of the table that were measured in other packages,
// each an object in JSON.
const rowsVariable = "ACP_LS_BENCH_ROWS"

// load adds the lines that were measured in other packages.
func (t *table) load() {
	rows, _ := os.ReadFile(os.Getenv(rowsVariable)) // or there are none
	for row := range strings.Lines(string(rows)) {
		var r struct {
			Name, Anchor string
			Aim          float64 // a multiple of the anchor
			Ours, Base   []float64
		}
		if err := json.Unmarshal([]byte(row), &r); err != nil {
			panic(err) // our own benchmarks have written it
		}
		c := t.compare(comparison{name: r.Name, anchor: r.Anchor, aim: goal{p50: r.Aim}})
		c.ours, c.base = r.Ours, r.Base
	}
}

// round adds what one round took.
func (c *comparison) round(ours, base time.Duration) {
	c.ours, c.base = append(c.ours, float64(ours)), append(c.base, float64(base))
}

// count adds a round that was not timed. What is compared with nothing has no base.
func (c *comparison) count(ours float64, base ...float64) {
	c.ours, c.base = append(c.ours, ours), append(c.base, base...)
}

// worst is the greatest quotient of one round.
func (c *comparison) worst() float64 {
	worst := 0.0
	for i, base := range c.base {
		worst = max(worst, c.ours[i]/base)
	}
	return worst
}

// ratio is ours as a multiple of the anchor's, at a quantile of each.
func (c *comparison) ratio(q float64) float64 { return quantile(c.ours, q) / quantile(c.base, q) }

// report adds the line's figures to those that `go test` prints.
func (c *comparison) report(b *testing.B) {
	b.ReportMetric(0, "ns/op") // of a round: says nothing
	b.ReportMetric(quantile(c.ours, .5), "p50-"+c.unit.short())
	if len(c.base) > 0 {
		b.ReportMetric(c.ratio(.5), "p50/anchor")
		b.ReportMetric(c.ratio(.99), "p99/anchor")
	}
}

// met reports whether a goal is reached.
func (c *comparison) met(g goal) bool {
	return (g.p50 == 0 || c.ratio(.5) <= g.p50) && (g.p99 == 0 || c.ratio(.99) <= g.p99) &&
		(g.worst == 0 || c.worst() <= g.worst) &&
		(g.most == 0 || quantile(c.ours, .5) <= g.most) && (!g.none || slices.Max(c.ours) == 0)
}

// mallocs is how many objects this process has allocated, allocated how many bytes.
func mallocs() float64   { return float64(memStats().Mallocs) }
func allocated() float64 { return float64(memStats().TotalAlloc) }

func memStats() (m runtime.MemStats) {
	runtime.ReadMemStats(&m)
	return m
}

// quantile returns the smallest sample that is not below a part q of all.
func quantile(samples []float64, q float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(samples))
	return s[max(0, int(math.Ceil(q*float64(len(s))))-1)]
}

// print writes the table in Markdown, with columns that line up.
func (t *table) print(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := [][]string{{"benchmark", "ours p50 / p99", "anchor", "p50 / p99", "ratio", "to reach now", "in the end", "rounds"}}
	for _, c := range t.rows {
		if len(c.ours) == 0 {
			continue
		}
		lines = append(lines, []string{
			c.name, c.unit.pair(c.ours), c.anchor, c.unit.pair(c.base),
			c.quotients(),
			c.verdict(c.now), c.verdict(c.aim), fmt.Sprint(len(c.ours)),
		})
	}
	if len(lines) == 1 {
		return
	}
	fmt.Fprintf(w, "\n%s/%s, %d CPUs, %s, %s\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), time.Now().Format(time.DateOnly))
	width := make([]int, len(lines[0]))
	for _, l := range lines {
		for i, cell := range l {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	for n, l := range lines {
		for i, cell := range l {
			fmt.Fprintf(w, "| %s%s ", cell, strings.Repeat(" ", width[i]-len([]rune(cell))))
		}
		fmt.Fprintln(w, "|")
		if n == 0 {
			for _, n := range width {
				fmt.Fprintf(w, "| %s ", strings.Repeat("-", n))
			}
			fmt.Fprintln(w, "|")
		}
	}
}

func (c *comparison) quotients() string {
	switch {
	case len(c.base) == 0:
		return ""
	case c.aim.worst > 0:
		return fmt.Sprintf("%.3gx, worst %.3gx", c.ratio(.5), c.worst())
	}
	return fmt.Sprintf("%.3gx / %.3gx", c.ratio(.5), c.ratio(.99))
}

// verdict names a goal and says whether it is met.
func (c *comparison) verdict(g goal) string {
	var bounds []string
	if g.p50 > 0 {
		bounds = append(bounds, fmt.Sprintf("≤ %gx", g.p50))
	}
	if g.p99 > 0 {
		bounds = append(bounds, fmt.Sprintf("p99 ≤ %gx", g.p99))
	}
	if g.worst > 0 {
		bounds = append(bounds, fmt.Sprintf("each ≤ %gx", g.worst))
	}
	if g.none {
		bounds = append(bounds, "none")
	}
	if g.most > 0 {
		bounds = append(bounds, "≤ "+c.unit.format(g.most))
	}
	switch {
	case bounds == nil:
		return ""
	case c.met(g):
		return strings.Join(bounds, ", ") + ": met"
	}
	return strings.Join(bounds, ", ") + ": not met"
}

func (u unit) short() string { return [...]string{"ns", "B", "n"}[u] }

// format writes a value with three digits.
func (u unit) format(v float64) string {
	switch {
	case u == memory && v < 1<<20:
		return fmt.Sprintf("%.3g kB", v/(1<<10))
	case u == memory:
		return fmt.Sprintf("%.3g MB", v/(1<<20))
	case u == number:
		return fmt.Sprintf("%.3g", v)
	case v < 1e3:
		return fmt.Sprintf("%.3g ns", v)
	case v < 1e6:
		return fmt.Sprintf("%.3g µs", v/1e3)
	case v < 999.5e6:
		return fmt.Sprintf("%.3g ms", v/1e6)
	}
	return fmt.Sprintf("%.3g s", v/1e9)
}

func (u unit) pair(samples []float64) string {
	if len(samples) == 0 {
		return ""
	}
	return u.format(quantile(samples, .5)) + " / " + u.format(quantile(samples, .99))
}

func TestQuantile(t *testing.T) {
	for _, tt := range []struct {
		samples []float64
		q, want float64
	}{
		{[]float64{7}, .5, 7},
		{[]float64{7}, .99, 7},
		{[]float64{3, 1, 2}, .5, 2},
		{[]float64{4, 3, 2, 1}, .5, 2},
		{[]float64{4, 3, 2, 1}, .99, 4},
		{[]float64{4, 3, 2, 1}, 0, 1},
	} {
		if got := quantile(tt.samples, tt.q); got != tt.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", tt.samples, tt.q, got, tt.want)
		}
	}
	if !math.IsNaN(quantile(nil, .5)) {
		t.Error("there is a quantile of nothing")
	}
}

func TestTable(t *testing.T) {
	var tab table
	a := tab.compare(comparison{name: "a", anchor: "pipe", now: goal{p50: 2}, aim: goal{p50: 1.5, p99: 2}})
	a.round(30*time.Microsecond, 20*time.Microsecond)
	a.round(90*time.Microsecond, 30*time.Microsecond)
	if tab.compare(comparison{name: "a", anchor: "pipe"}) != a {
		t.Error("a second run begins a new line")
	}
	b := tab.compare(comparison{name: "b", anchor: "nothing", unit: memory, now: goal{most: 12 << 20}})
	b.ours, b.base = []float64{13 << 20}, []float64{1 << 20}
	tab.compare(comparison{name: "c", anchor: "not run"})
	d := tab.compare(comparison{name: "d", anchor: "git", unit: number, aim: goal{worst: 1.05}})
	d.count(10, 10)
	d.count(12, 10)
	tab.compare(comparison{name: "e", unit: number, now: goal{none: true}, aim: goal{most: 2}}).count(1)
	var out strings.Builder
	tab.print(&out)
	for _, want := range []string{
		"| a         | 30 µs / 90 µs  | pipe    | 20 µs / 30 µs | 1.5x / 3x      | ≤ 2x: met        | ≤ 1.5x, p99 ≤ 2x: not met | 2      |\n",
		"| b         | 13 MB / 13 MB  | nothing | 1 MB / 1 MB   | 13x / 13x      | ≤ 12 MB: not met |                           | 1      |\n",
		"| d         | 10 / 12        | git     | 10 / 10       | 1x, worst 1.2x |                  | each ≤ 1.05x: not met     | 2      |\n",
		"| e         | 1 / 1          |         |               |                | none: not met    | ≤ 2: met                  | 1      |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("table:\n%s\nhas no line\n%s", out.String(), want)
		}
	}
	if strings.Contains(out.String(), "not run") {
		t.Errorf("a line without rounds:\n%s", out.String())
	}
}
