package stack

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStatements(t *testing.T) {
	for name, test := range map[string]struct {
		engine, text string
		want         []statement
	}{
		"nothing":         {"postgres", " \n-- only a word; or two\n/* ; */ ;; ", nil},
		"two":             {"sqlite", "CREATE TABLE a (x);\n\nCREATE TABLE b (y)", []statement{{"CREATE TABLE a (x)", 1}, {"CREATE TABLE b (y)", 3}}},
		"quotes":          {"postgres", `INSERT INTO a VALUES ('it''s; so', "x;y"); SELECT 'a\'; SELECT 2`, []statement{{`INSERT INTO a VALUES ('it''s; so', "x;y")`, 1}, {`SELECT 'a\'`, 1}, {"SELECT 2", 1}}},
		"escapes":         {"mysql", `SELECT 'a\';b'; # ; no` + "\nSELECT `c;d`", []statement{{`SELECT 'a\';b'`, 1}, {"SELECT `c;d`", 2}}},
		"escape string":   {"postgres", `SELECT E'a\';b'; SELECT 1`, []statement{{`SELECT E'a\';b'`, 1}, {"SELECT 1", 1}}},
		"nested comment":  {"postgres", "/* a /* ; */ ; */ SELECT 1", []statement{{"SELECT 1", 1}}},
		"dollar":          {"postgres", "CREATE FUNCTION f() RETURNS int AS $$ BEGIN; RETURN 1; END $$ LANGUAGE plpgsql;\nDO $x$ a; $$ b; $x$;", []statement{{"CREATE FUNCTION f() RETURNS int AS $$ BEGIN; RETURN 1; END $$ LANGUAGE plpgsql", 1}, {"DO $x$ a; $$ b; $x$", 2}}},
		"parameter":       {"postgres", "PREPARE p AS SELECT $1; SELECT 2", []statement{{"PREPARE p AS SELECT $1", 1}, {"SELECT 2", 1}}},
		"trigger":         {"sqlite", "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = CASE WHEN 1 THEN 2 ELSE 3 END; DELETE FROM b; END; SELECT 1;", []statement{{"CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = CASE WHEN 1 THEN 2 ELSE 3 END; DELETE FROM b; END", 1}, {"SELECT 1", 1}}},
		"procedure":       {"mysql", "CREATE PROCEDURE p() BEGIN IF 1 THEN SELECT 1; END IF; CASE 1 WHEN 1 THEN SELECT 2; END CASE; END; SELECT 3", []statement{{"CREATE PROCEDURE p() BEGIN IF 1 THEN SELECT 1; END IF; CASE 1 WHEN 1 THEN SELECT 2; END CASE; END", 1}, {"SELECT 3", 1}}},
		"delimiter":       {"mysql", "DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT 1; END//\nDELIMITER ;\nSELECT 2;", []statement{{"CREATE PROCEDURE p() BEGIN SELECT 1; END", 2}, {"SELECT 2", 4}}},
		"transaction":     {"sqlite", "BEGIN; SELECT 1; COMMIT;", []statement{{"BEGIN", 1}, {"SELECT 1", 1}, {"COMMIT", 1}}},
		"never closed":    {"postgres", "SELECT 'a; SELECT 2", []statement{{"SELECT 'a; SELECT 2", 1}}},
		"never closed $$": {"postgres", "DO $$ a; b", []statement{{"DO $$ a; b", 1}}},
		"of some servers": {"mysql", "/*!40101 SET NAMES utf8 */;\nSELECT 1;", []statement{{"/*!40101 SET NAMES utf8 */", 1}, {"SELECT 1", 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, statements(test.engine, test.text))
		})
	}
}

func FuzzStatements(f *testing.F) {
	f.Add("CREATE TRIGGER t BEGIN SELECT 'a'; END; /* b */ $x$ ; $x$ DELIMITER //")
	f.Fuzz(func(t *testing.T, text string) {
		for _, engine := range []string{"postgres", "mysql", "sqlite"} {
			for _, s := range statements(engine, text) {
				assert.NotEmpty(t, s.text)
				assert.Positive(t, s.line)
			}
		}
	})
}
