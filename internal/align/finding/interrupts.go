package finding

import (
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// A processor serves interrupts while a thread has it: a timer runs out, a disk has written a
// block, another processor asks for something. Samples show that as callees of what the thread
// happened to be in. What is served, and on which thread, is up to the machine and to all programs
// on it, so that no change of it is told for sure. For example, of two equal runs:
//
//	crc                              62 ms          60 ms
//	  asm_sysvec_apic_timer_interrupt
//	    …                             1.22 ms        0
//
// Page faults and system calls are not among them: those are the program's.

// interrupts are beginnings of the names that functions of Linux have in which that begins: on
// x86, also in older versions, and on ARM.
var interrupts = []string{"asm_sysvec_", "sysvec_", "asm_common_interrupt", "common_interrupt",
	"apic_timer_interrupt", "smp_apic_timer_interrupt", "reschedule_interrupt",
	"smp_reschedule_interrupt", "call_function_interrupt", "call_function_single_interrupt",
	"ret_from_intr", "do_IRQ", "el0_irq", "el1_irq", "el0t_64_irq", "el1h_64_irq", "el0t_32_irq"}

// interruptsOf returns which functions of a trace serve interrupts.
func interruptsOf(t *trace.Trace) []bool {
	of := make([]bool, len(t.Functions))
	for fn := range of {
		of[fn] = t.Symbols && slices.ContainsFunc(interrupts, func(name string) bool {
			return strings.HasPrefix(t.Functions[fn].Name, name)
		})
	}
	return of
}

// setInterrupted takes the samples of a thread's side that fell into interrupts for told.
func (p *profiles) setInterrupted(t *tree, sd pair.Side) {
	th, serves := t.r.Threads[sd], p.interrupts[sd]
	told := t.told[sd]
	for i, fn := range th.Fn {
		up := th.Parent(i)
		if told[i] = serves[fn] || up >= 0 && told[up]; told[i] {
			id := p.s.identity(t.r, sd, int32(i))
			ns := p.s.report.interrupted[id]
			ns[sd] += t.self[sd][i]
			p.s.report.interrupted[id] = ns
		}
	}
}

// Interrupted returns how much of a function's own time is that of interrupts, where samples were
// compared.
func (r *Report) Interrupted(id uint32) [2]int64 { return r.interrupted[id] }
