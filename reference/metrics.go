package reference

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// statusGauge tells how many rows of a table are in each state. The distribution shows trouble that a success rate hides:
// rows that pile up in PROCESSING or UNKNOWN.
type statusGauge struct {
	store *Store
	desc  *prometheus.Desc
	count string   // a query of state and number
	all   []Status // told also where there is none
}

// countWithin bounds one count.
const countWithin = 2 * time.Second

func metrics(store *Store) http.Handler {
	registry := prometheus.NewRegistry()
	for _, g := range []struct {
		name, help, table string
		all               []Status
	}{
		{"payment_rows", "Payment rows by state.", "pay_transaction", Statuses()},
		{"refund_rows", "Refunds by state, those of surplus money included.", "refund", RefundStatuses()},
	} {
		registry.MustRegister(&statusGauge{store: store, desc: prometheus.NewDesc(g.name, g.help, []string{"status"}, nil),
			count: `SELECT status, COUNT(*) AS n FROM ` + g.table + ` GROUP BY status`, all: g.all})
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// Describe implements prometheus.Collector.
func (g *statusGauge) Describe(to chan<- *prometheus.Desc) { to <- g.desc }

// Collect implements prometheus.Collector; a database that does not answer makes the scrape fail.
func (g *statusGauge) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countWithin)
	defer cancel()
	var rows []struct {
		Status Status `db:"status"`
		N      int64  `db:"n"`
	}
	if err := g.store.Select(ctx, &rows, g.count); err != nil {
		to <- prometheus.NewInvalidMetric(g.desc, err)
		return
	}
	count := map[Status]int64{}
	for _, row := range rows {
		count[row.Status] = row.N
	}
	for _, status := range g.all {
		to <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(count[status]), string(status))
	}
}
