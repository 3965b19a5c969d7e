package paje

import (
	"bytes"
	"strings"
)

// kind is an event of the format.
type kind uint8

const (
	ignored kind = iota // an event that states nothing about the run, or an extension
	defineContainerType
	defineStateType
	defineEventType
	defineVariableType
	defineLinkType
	defineValue
	createContainer
	destroyContainer
	setState
	pushState
	popState
	resetState
	setVariable
	addVariable
	subVariable
	startLink
	endLink
	newEvent
)

var kinds = map[string]kind{
	"PajeDefineContainerType": defineContainerType, "PajeDefineStateType": defineStateType,
	"PajeDefineEventType": defineEventType, "PajeDefineVariableType": defineVariableType,
	"PajeDefineLinkType": defineLinkType, "PajeDefineEntityValue": defineValue,
	"PajeCreateContainer": createContainer, "PajeDestroyContainer": destroyContainer,
	"PajeSetState": setState, "PajePushState": pushState, "PajePopState": popState,
	"PajeResetState": resetState, "PajeSetVariable": setVariable, "PajeAddVariable": addVariable,
	"PajeSubVariable": subVariable, "PajeStartLink": startLink, "PajeEndLink": endLink,
	"PajeNewEvent": newEvent,
}

// role is what a field is to its event.
type role uint8

const (
	roleTime role = iota
	roleAlias
	roleType
	roleName
	roleContainer
	roleValue
	roleStart // of a link: the container in which it starts
	roleEnd
	roleKey
	roles
	other // a field that the file added, or a colour
)

// roleOf has the names of fields in small letters, those of the format's older versions too.
var roleOf = map[string]role{
	"time": roleTime, "alias": roleAlias, "type": roleType, "containertype": roleType,
	"entitytype": roleType, "name": roleName, "container": roleContainer, "value": roleValue,
	"startcontainer": roleStart, "sourcecontainer": roleStart, "endcontainer": roleEnd,
	"destcontainer": roleEnd, "key": roleKey,
}

// needed are the fields without which an event says nothing.
var needed = map[kind][]role{
	defineContainerType: {roleName}, defineStateType: {roleName}, defineEventType: {roleName},
	defineVariableType: {roleName}, defineLinkType: {roleName}, defineValue: {roleType, roleName},
	createContainer: {roleTime, roleType, roleName}, destroyContainer: {roleName},
	setState:   {roleTime, roleType, roleContainer, roleValue},
	pushState:  {roleTime, roleType, roleContainer, roleValue},
	popState:   {roleTime, roleType, roleContainer},
	resetState: {roleTime, roleType, roleContainer}, setVariable: variable, addVariable: variable,
	subVariable: variable, startLink: {roleTime, roleType, roleStart, roleKey},
	endLink:  {roleTime, roleType, roleEnd, roleKey},
	newEvent: {roleTime, roleType, roleContainer},
}

var variable = []role{roleTime, roleType, roleContainer, roleValue}

// definition is an event as the file declares it.
type definition struct {
	kind   kind
	fields int
	place  [roles]int8 // of each role among the fields, or −1
	more   []extra     // fields that the format does not know
	faulty string      // why events of it cannot be read
}

type extra struct {
	name  string
	place int
}

// mostFields is how many fields an event may declare; mostEvents is how many definitions are kept.
const (
	mostFields = 100
	mostEvents = 10_000
)

// header holds the definitions of a file by number.
type header struct {
	events map[string]*definition
	open   *definition // the one whose fields are being declared
}

// define takes a line of a definition, without the sign that begins it.
func (h *header) define(line []byte, bad func(string)) {
	words := bytes.Fields(line)
	switch {
	case len(words) == 0:
	case string(words[0]) == "EventDef":
		h.begin(words, bad)
	case string(words[0]) == "EndEventDef":
		if h.open != nil {
			h.open.check()
		}
		h.open = nil
	case h.open == nil:
		bad("a field of no definition")
	case h.open.fields == mostFields:
		bad("a definition of more than 100 fields")
	default:
		h.open.add(string(words[0]))
	}
}

func (h *header) begin(words [][]byte, bad func(string)) {
	if h.open != nil {
		h.open.check()
		h.open = nil
	}
	if len(words) < 3 || len(h.events) == mostEvents {
		bad("a definition without a number, or one too many")
		return
	}
	h.open = &definition{kind: kinds[string(words[1])]}
	for r := range h.open.place {
		h.open.place[r] = -1
	}
	h.events[string(words[2])] = h.open
}

// add declares the next field.
func (d *definition) add(name string) {
	r, known := roleOf[strings.ToLower(name)]
	if known && d.place[r] < 0 {
		d.place[r] = int8(d.fields)
	} else if !known && !strings.EqualFold(name, "color") {
		d.more = append(d.more, extra{name, d.fields})
	}
	d.fields++
}

// check notes what the definition lacks. The oldest versions call the name of a container that is
// destroyed Container, and let a link have one container only.
func (d *definition) check() {
	fallback := func(r, from role) {
		if d.place[r] < 0 {
			d.place[r] = d.place[from]
		}
	}
	switch d.kind {
	case destroyContainer:
		fallback(roleName, roleContainer)
	case startLink:
		fallback(roleStart, roleContainer)
	case endLink:
		fallback(roleEnd, roleContainer)
	}
	for _, r := range needed[d.kind] {
		if d.place[r] < 0 {
			d.faulty = "its definition lacks a field"
		}
	}
}
