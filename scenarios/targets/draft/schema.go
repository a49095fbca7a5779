package draft

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// lookSchema finds out how the tables are made.
func lookSchema(s *Service, from *sources) {
	for _, file := range from.with(".sql") {
		text := from.text(file)
		folder := path.Dir(file)
		switch {
		case strings.Contains(text, "+goose Up"):
			s.schema("{goose: "+folder+"}", folder)
		case strings.HasSuffix(file, ".down.sql"), !createTable.MatchString(text):
		default:
			s.schema("{sql: "+file+"}", file)
		}
	}
	if name, _ := from.first("manage.py"); name != "" {
		s.schema("{run: [python3, "+name+", migrate]}", name)
	}
}

func (s *Service) schema(step, where string) {
	if s.Engine == "" {
		s.Engine = "postgres" // what most have
	}
	if !slices.Contains(s.Schema, step) {
		s.Schema = append(s.Schema, step)
		s.found("%s makes tables", where)
	}
}

var (
	createTable = regexp.MustCompile("(?is)CREATE\\s+TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?[\"`]?([a-z_][a-z0-9_.]*)[\"`]?\\s*\\(([^;]*)")
	columnName  = regexp.MustCompile(`(?im)(?:^|,|\()\s*["` + "`" + `]?([a-z_][a-z0-9_]*)["` + "`" + `]?\s+(?:[a-z]+)`)

	payTables  = []string{"payment", "charge", "transaction", "transfer", "checkout", "order", "debit"}
	keyColumns = []struct{ column, name string }{
		{"idempotency_key", ":key"}, {"correlation_id", ":key"}, {"request_id", ":key"}, {"order_no", ":order"}, {"order_id", ":order"},
		{"order_number", ":order"}, {"external_id", ":order"}, {"reference", ":order"}, {"merchant_reference", ":order"}, {"key", ":key"},
	}
	stateColumns = []string{"status", "state", "payment_status"}
	stateWords   = []struct{ rows, words string }{
		{"success", "PAID|SUCCEEDED|SUCCEED|SUCCESS|SUCCESSFUL|COMPLETED|COMPLETE|CAPTURED|SETTLED|CONFIRMED|APPROVED"},
		{"declined", "FAILED|DECLINED|REJECTED|REFUSED|CANCELLED|CANCELED"},
		{"pending", "PENDING|PROCESSING|IN_PROGRESS|CREATED|QUEUED"},
	}
)

// lookTables finds the table of payments and writes the SQL that asks it about one of them.
func lookTables(s *Service, from *sources) {
	all := ""
	for _, file := range from.with(append([]string{".sql"}, codeFiles...)...) {
		all += from.text(file) + "\n"
	}
	table, columns := payTable(all)
	if table == "" {
		return
	}
	s.found("table %s has the payments", table)
	where := ""
	for _, key := range keyColumns {
		if slices.Contains(columns, key.column) {
			where = key.column + " = " + key.name
			break
		}
	}
	state := slices.IndexFunc(stateColumns, func(c string) bool { return slices.Contains(columns, c) })
	if where == "" || state < 0 {
		return
	}
	for _, kind := range stateWords {
		word := likeliestWord(all, kind.words)
		if word == "" {
			continue
		}
		sql := fmt.Sprintf("SELECT count(*) FROM %s WHERE %s AND %s = '%s'", table, where, stateColumns[state], word)
		if kind.rows == "success" {
			s.Success = sql
		} else {
			s.Other[kind.rows] = sql
		}
	}
}

// likeliestWord is the first of some words that stands in quotes in a text, as it is written there.
func likeliestWord(all, words string) string {
	for word := range strings.SplitSeq(words, "|") {
		if m := regexp.MustCompile(`['"]((?i:` + word + `))['"]`).FindStringSubmatch(all); m != nil {
			return m[1]
		}
	}
	return ""
}

// payTable is the table that payments are likely in, with its columns.
func payTable(all string) (table string, columns []string) {
	found := createTable.FindAllStringSubmatch(all, -1)
	for _, word := range payTables {
		for _, m := range found {
			if strings.Contains(strings.ToLower(m[1]), word) {
				for _, c := range columnName.FindAllStringSubmatch(m[2], -1) {
					columns = append(columns, strings.ToLower(c[1]))
				}
				return m[1], columns
			}
		}
	}
	return "", nil
}
