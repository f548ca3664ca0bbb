package dedup

import "github.com/urisieve/urisieve/internal/fsys"

// Report is what Verify found.
type Report struct {
	SettingsID string // "" if the header can't be read
	KeyID      string
	Files      int
	Bytes      int64
	Keys       int64 // of runs and journals: one that is in several counts more than once
	Damage     []*DamageError
}

// Verify reads every byte that the last commit of a state needs, and reports all that isn't as it was written; what a crash
// left behind that commit isn't damage. files nil is the file system of the machine. It locks nothing: while another process
// writes the state, files may go missing. The error is of what keeps it from reading, or of a state that isn't
// this program's.
func Verify(files fsys.FS, dir string) (Report, error) {
	if files == nil {
		files = fsys.OS{}
	}
	v, err := newSurvey(files, dir)
	if err != nil {
		return Report{}, stateError(dir, err)
	}
	defer v.close()
	keys := int64(0)
	err = v.replay(func(kind byte, payload []byte) error {
		if kind == recordKeys {
			_, times, _ := readChanges(payload, nil, nil)
			keys += int64(len(times))
		}
		return nil
	})
	for _, id := range v.commit.runs {
		if err == nil {
			_, err = v.run(id, func(Key, entry) error { return nil })
		}
	}
	if err != nil {
		return Report{}, stateError(dir, err)
	}
	return Report{v.header.SettingsID, v.header.KeyID, v.read, v.bytes, keys + v.keys, v.damage}, nil
}
