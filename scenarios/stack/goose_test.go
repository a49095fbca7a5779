package stack

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGooseUp(t *testing.T) {
	got, err := gooseUp("postgres", `-- +goose NO TRANSACTION
-- +goose Up
CREATE TABLE a (x int);
-- +goose StatementBegin
CREATE FUNCTION f() RETURNS int AS 'a; b;'
LANGUAGE sql;
-- +goose StatementEnd
CREATE INDEX i ON a (x); SELECT 1;

-- +goose Down
DROP TABLE a;
`)
	require.NoError(t, err)
	assert.Equal(t, []statement{
		{"CREATE TABLE a (x int)", 3}, {"CREATE FUNCTION f() RETURNS int AS 'a; b;'\nLANGUAGE sql", 5}, {"CREATE INDEX i ON a (x)", 8}, {"SELECT 1", 8},
	}, got)

	_, err = gooseUp("postgres", "CREATE TABLE a (x int);")
	require.ErrorContains(t, err, "-- +goose Up is missing")
	_, err = gooseUp("postgres", "-- +goose Upp")
	require.ErrorContains(t, err, "line 1: -- +goose Upp is not understood")
}

func TestGooseFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name string) { require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600)) }
	_, err := gooseFiles(folder)
	require.ErrorContains(t, err, "holds no migration")
	for _, name := range []string{"10_last.sql", "2_second.sql", "001_first.sql", "README.md", "notes.sql"} {
		write(name)
	}
	got, err := gooseFiles(folder)
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(folder, "001_first.sql"), filepath.Join(folder, "2_second.sql"), filepath.Join(folder, "10_last.sql")}, got)
	write("003_code.go")
	_, err = gooseFiles(folder)
	require.ErrorContains(t, err, "a migration in Go")
	_, err = gooseFiles(filepath.Join(folder, "none"))
	require.ErrorContains(t, err, "reading the migrations")
}
