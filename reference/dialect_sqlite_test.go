package reference

import "testing"

func TestSQLiteURL(t *testing.T) {
	opens(t, map[string]bool{"sqlite:///a/b.db": true, "sqlite://relative.db": false, "sqlite:///a.db?mode=ro": false})
}
