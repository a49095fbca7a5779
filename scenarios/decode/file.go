package decode

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ReadFile reads a file, which must be a regular one: anything else might never end. The error says what was to be read.
func ReadFile(what, path string) ([]byte, error) {
	info, err := os.Stat(path)
	var data []byte
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	default:
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", what, path, Reason(err))
	}
	return data, nil
}

// Reason is why a file could not be used, without the call that found out and without the path.
func Reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
