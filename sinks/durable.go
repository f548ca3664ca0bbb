package sinks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urisieve/urisieve/internal/fsys"
)

// mkdirDurable makes a directory and those above it, and makes their names durable.
func mkdirDurable(disk fsys.FS, path string) error {
	var made []string
	for dir := path; ; dir = filepath.Dir(dir) {
		if _, err := disk.Stat(dir); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		made = append(made, dir)
		if filepath.Dir(dir) == dir {
			break
		}
	}
	if err := disk.MkdirAll(path, 0o755); err != nil {
		return err
	}
	for _, dir := range made {
		if err := disk.SyncDir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	return nil
}

// writeSmall writes a small file under a temporary name, syncs it and publishes it. The name is durable
// after SyncDir.
func writeSmall(disk fsys.FS, dir, base, final string, content []byte) error {
	temp := filepath.Join(dir, tempOf(base))
	f, err := disk.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, removeIfThere(disk, temp))
	}
	return disk.Publish(temp, filepath.Join(dir, final))
}

func removeIfThere(disk fsys.FS, name string) error {
	if err := disk.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// readAll reads a small file.
func readAll(disk fsys.FS, name string) ([]byte, error) {
	f, err := disk.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	content := make([]byte, info.Size())
	_, err = f.ReadAt(content, 0)
	if err != nil && len(content) == 0 {
		err = nil // an empty file ends at once
	}
	return content, err
}

// exists tells whether there is anything of that name.
func exists(disk fsys.FS, name string) (bool, error) {
	_, err := disk.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
