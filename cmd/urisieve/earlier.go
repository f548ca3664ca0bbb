package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// earlier are the states of state.seen.
type earlier struct {
	states []*dedup.ReadState
	keys   []pipeline.OtherKey // for each
}

// openEarlier opens them, and puts the set that asks them over the job's.
func (j *job) openEarlier() error {
	dirs := j.l.State.Seen
	if len(dirs) == 0 {
		return nil
	}
	memory := setMemory(&j.l.Config) / 16
	e := &earlier{}
	j.earlier = e
	for _, dir := range dirs {
		s, err := dedup.OpenRead(dedup.ReadOptions{Dir: dir, Memory: memory, Scratch: j.scratch()})
		if err != nil {
			return failed(err)
		}
		e.states = append(e.states, s)
		key, err := j.otherKey(dir, s)
		if err != nil {
			return err
		}
		e.keys = append(e.keys, key)
	}
	j.set = dedup.NewEarlier(j.set, e.states, memory)
	return nil
}

func (e *earlier) close() error {
	if e == nil {
		return nil
	}
	var faults []error
	for _, s := range e.states {
		faults = append(faults, s.Close())
	}
	return errors.Join(faults...)
}

// otherKey finds out how a state makes its keys.
func (j *job) otherKey(dir string, s *dedup.ReadState) (pipeline.OtherKey, error) {
	key := pipeline.OtherKey{Normalizer: j.norm}
	secret, ok := s.Secret()
	if !ok {
		var err error
		if secret, err = j.secret(); err != nil {
			return key, err
		}
		if secret.ID() != s.KeyID() {
			return key, usage(j.l.Fault("state.seen", fmt.Sprintf("%s: its secret, with the key id %s, isn't in it, and isn't that of this run", dir, s.KeyID()), "dedup.key_file with its secret"))
		}
	}
	key.Hasher = dedup.NewHasher(secret)
	if s.SettingsID() == j.norm.SettingsID() {
		return key, nil
	}
	for _, texts := range settingsOf(s) {
		n, err := j.normalizerOf(texts)
		if err == nil && n.SettingsID() == s.SettingsID() {
			key.Normalizer = n
			return key, nil
		}
	}
	return key, usage(j.l.Fault("state.seen", fmt.Sprintf("%s: it was made under the settings %s, and doesn't say what they are; these are %s", dir, s.SettingsID(), j.norm.SettingsID()),
		"a state that run made, or one under these settings"))
}

// settingsOf gives what the settings of a state may be, as options: those that its last job says, else the
// defaults of each profile.
func settingsOf(s *dedup.ReadState) []map[string]string {
	var all []map[string]string
	var job savedJob
	if json.Unmarshal(s.Progress(), &job) == nil && len(job.Options) > 0 {
		all = append(all, job.Options)
	}
	for _, profile := range normalize.Profiles() {
		all = append(all, map[string]string{"normalize.profile": profile.Name})
	}
	return all
}

// normalizerOf makes the normalizer of settings given as options; the base is that of the run.
func (j *job) normalizerOf(texts map[string]string) (*normalize.Normalizer, error) {
	var overrides []config.Override
	defaults := config.Default()
	for _, leaf := range config.Leaves() {
		text := leaf.Text(&defaults)
		if section, _, _ := strings.Cut(leaf.Key, "."); section == "normalize" || section == "key" {
			if given, ok := texts[leaf.Key]; ok {
				text = given
			}
		}
		if leaf.Kind == config.KindSecret || leaf.Kind != config.KindStrings && text == "" {
			continue
		}
		values := []string{text}
		if leaf.Kind == config.KindStrings {
			values = nil
			for v := range strings.SplitSeq(text, ",") {
				if v != "" {
					values = append(values, v)
				}
			}
		}
		overrides = append(overrides, config.Override{Key: leaf.Key, Origin: leaf.Key, Values: values})
	}
	l, err := config.Load("", overrides)
	if err != nil {
		return nil, err
	}
	l.Normalize.Base = j.l.Normalize.Base
	return normalize.New(normalizeOptions(&l.Config))
}
