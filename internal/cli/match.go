package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/plural"
	"diptych/internal/progress"
	"diptych/internal/report"
	"diptych/internal/trace"
)

func matchCommand() *cobra.Command {
	var (
		opts               loading
		tau, scope, groups string
		asJSON             bool
	)
	cmd := &cobra.Command{
		Use:   "match A B",
		Short: "Count the calls of two traces that run similar sets of functions",
		Long: `Match compares every call of A with every call of B by the sets of functions called in their
subtrees (TraceDiff): two calls match if the sets' Jaccard similarity exceeds τ. Pairs are counted
exactly, without listing them. A group is a match that lies under no other, with all matches
below it.`,
		Example: `  diptych match before.json.gz after.json.gz
  diptych match --tau 0.5 --scope 21:17 a.gotrace b.gotrace
  diptych match --groups --json a.data.tar.gz b.data.tar.gz | jq .groupList`,
		Args: traces(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			threshold, err := match.ParseTau(tau)
			if err != nil || threshold.Float() >= 1 {
				return usageError{fmt.Errorf("--tau %s: want a number from 0 to below 1 of at most nine "+
					"decimal places, or a fraction such as 1/3", tau)}
			}
			if groups != "" && groups != canonical && groups != paper {
				return usageError{fmt.Errorf("--groups=%s: want nothing or paper", groups)}
			}
			m, err := runMatch(cmd, args, opts, threshold, scope, groups)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), m)
			}
			return m.write(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&tau, "tau", "0.2", "threshold τ: a pair matches if its similarity is above")
	f.StringVar(&scope, "scope", "process", "process, or TID:TID for one thread of each")
	f.StringVar(&groups, "groups", "", "list the groups; paper for TraceDiff's literal rule")
	f.Lookup("groups").NoOptDefVal = canonical
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	offer(cmd, "scope", "process")
	offer(cmd, "groups", paper)
	sideLoadFlags(cmd, &opts)
	identityFlags(cmd)
	return cmd
}

// The rules for groups.
const (
	canonical = "canonical"
	paper     = "paper"
)

// matching is the description of a matched pair, and what its calls are.
type matching struct {
	*report.Match
	noun string
}

// runMatch loads the pair, compares it and describes the result.
func runMatch(cmd *cobra.Command, paths []string, opts loading, tau match.Tau,
	scope, groups string) (*matching, error) {
	began := time.Now()
	p, err := readCompared(cmd, paths, opts)
	if err != nil {
		return nil, err
	}
	loaded := time.Now()
	s, err := parseScope([2]*trace.Trace{p.A, p.B}, scope)
	if err != nil {
		return nil, usageError{err}
	}
	ctx := cmd.Context()
	kept := results(cmd)
	g, _, err := kept.Graph(ctx, p, s, nil)
	if err != nil {
		return nil, err
	}
	var (
		r      *match.Result
		found  *match.Groups
		cached bool
	)
	work, under := progress.NewGroup(ctx)
	work.Go(func() (err error) { r, cached, err = kept.Result(under, g, tau, nil); return err })
	if groups != paper { // one processor finds them, so that meanwhile others compare
		work.Go(func() (err error) { found, err = g.Groups(under, tau, match.Budget{}); return err })
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	m := report.NewMatch(g, r)
	m.Cached, m.Requests = cached, report.RequestsOf(p)
	if err := addGroups(ctx, m, g, tau, groups, found); err != nil {
		return nil, err
	}
	m.ElapsedNs = report.Elapsed{Load: loaded.Sub(began).Nanoseconds(),
		Compute: time.Since(loaded).Nanoseconds()}
	return &matching{m, p.CallNoun()}, nil
}

func parseScope(traces [2]*trace.Trace, scope string) (match.Scope, error) {
	if scope == "process" {
		return match.Process(), nil
	}
	a, b, ok := strings.Cut(scope, ":")
	if !ok {
		return match.Scope{}, fmt.Errorf("--scope %s: want process or TID:TID", scope)
	}
	var threads [2]int
	for i, id := range []string{a, b} {
		if threads[i] = traces[i].ThreadByID(id); threads[i] < 0 {
			return match.Scope{}, fmt.Errorf("--scope %s: %s has no thread %q", scope, pair.Side(i), id)
		}
	}
	return match.Threads(threads[0], threads[1]), nil
}

// addGroups counts the groups, and lists them if asked to. found is nil if the paper's rule holds.
func addGroups(ctx context.Context, m *report.Match, g *match.Graph, tau match.Tau, rule string,
	found *match.Groups) error {
	if rule == paper {
		literal, err := g.PaperGroups(ctx, tau, match.Budget{})
		if err != nil {
			return err
		}
		if m.GroupsWhy = literal.Why; literal.Why == "" {
			n := len(literal.List)
			m.Groups = &n
		}
		m.GroupList = []report.MatchGroup{}
		for _, p := range literal.List {
			m.GroupList = append(m.GroupList, report.NewMatchGroup(g, p.A, p.B, p.Matches))
		}
		return nil
	}
	if m.GroupsWhy = found.Why; found.Why == "" {
		n := len(found.List)
		m.Groups = &n
	}
	if rule != canonical {
		return nil
	}
	sizes, err := g.Sizes(ctx, found.List, tau)
	if err != nil {
		return err
	}
	m.GroupList = []report.MatchGroup{}
	for i, p := range found.List {
		m.GroupList = append(m.GroupList, report.NewMatchGroup(g, p.A, p.B, sizes[i]))
	}
	return nil
}

// mostGroups is how many groups the table lists; --json lists all.
const mostGroups = 40

func (m *matching) write(out io.Writer) error {
	writeCompared(out, m.Requests)
	w := newTable(out)
	fmt.Fprintln(w, "\tA\tB\t")
	escape.Printf(w, "%ss\t%d\t%d\t\n", m.noun, m.Calls.A, m.Calls.B)
	escape.Printf(w, "classes\t%d\t%d\t\n", m.Classes.A, m.Classes.B)
	escape.Printf(w, "matched %ss\t%d\t%d\t\n", m.noun, m.MatchedCalls.A, m.MatchedCalls.B)
	if err := w.Flush(); err != nil {
		return err
	}
	pairs := plural.Of(m.Pairs, "matching pair")
	if m.Saturated {
		pairs = fmt.Sprintf("%d or more matching pairs", m.Pairs)
	}
	escape.Printf(sentences(out), "\nτ = %g: %s, similarity sum %.6g\n", m.Tau, pairs, m.SimilaritySum)
	if m.Groups != nil {
		escape.Printf(out, "%s\n", plural.Of(*m.Groups, "group"))
	} else {
		escape.Printf(sentences(out), "groups: %s\n", m.GroupsWhy)
	}
	if len(m.GroupList) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	escape.Printf(w, "group\t%s of A\t%[1]s of B\tsimilarity\tmatches\t  \tfunction\n", m.noun)
	for i, g := range m.GroupList {
		if i == mostGroups {
			escape.Printf(w, "… %d more\t\t\t\t\t  \t\n", len(m.GroupList)-i)
			break
		}
		escape.Printf(w, "%d\t%d\t%d\t%.3f\t%d\t  \t%s\n", i+1, g.A, g.B, g.S, g.Matches,
			shownName(onBothSides(g.Functions)))
	}
	return w.Flush()
}

// onBothSides is the name of something that the sides may call differently.
func onBothSides(names report.Both[string]) string {
	if names.A == names.B {
		return names.A
	}
	return names.A + " / " + names.B
}
