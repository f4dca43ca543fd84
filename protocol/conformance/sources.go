package conformance

// playerSources tell where each rule for players comes from: the text of the protocol, a server
// in use that relies on it (ggp-base, GameController: class and method), or good manners.
var playerSources = map[string]string{
	"info":            "ggp-base: PlayerPresence.updateInfo reads for 1 s; Scheduler.canSchedule begins no match unless the status is available",
	"start":           "the protocol: ready; ggp-base: StartRequestThread forgives a late reply, and GameServer.run goes on with PLAY",
	"busy":            "ggp-base: Scheduler.canSchedule gives whoever says available another match",
	"busy while busy": "the protocol: busy while a match runs; ggp-base: StartRequest.process",
	"whole match":     "ggp-base: PlayRequestThread.handleResponse replaces what is none of the legal moves, compared with regard to case",
	"turns":           "ggp-base: GameServer.sendPlayRequests asks every role on every turn",
	"replaced move":   "ggp-base: PlayRequestThread begins with a random legal move, which stands where no legal one comes in time",
	"play clock":      "ggp-base: PlayRequestThread reads for the play clock and 1 s, then a random move is made; other servers allow less",
	"stop":            "the protocol: done; ggp-base: StopRequestThread forgives a late reply, Scheduler.canSchedule waits for available",
	"stop with NIL":   "ggp-base: RequestBuilder.getStopRequest writes NIL where no move has been made",
	"abort":           "the protocol: aborted; ggp-base: AbortRequestThread forgives a late reply, Scheduler.canSchedule waits for available",
	"content length":  "ggp-base: HttpReader.readContentFromPOST reads exactly the Content-Length, and without one to the end of the stream",
	"no chunks":       "ggp-base: HttpReader.readContentFromPOST takes the sizes of chunks for text",
	"end of stream":   "GameController: RemotePlayer.sendMsg reads to the end of the stream, whatever the header says",
	"ASCII":           "ggp-base: HttpReader.readContentFromPOST counts Content-Length in characters, and waits for more where they are fewer than bytes",

	"name":                 "ggp-base: Scheduler.doSchedule tells players apart by the name in their replies to INFO",
	"start clock":          "ggp-base: StartRequestThread reads for the start clock, then the record says TO",
	"ping":                 "the protocol: older servers send PING for INFO",
	"preview":              "ggp-base: GameServer.run sends PREVIEW in matches with a preview clock; PreviewRequestThread reads for that clock, then the record says TO",
	"case of heads":        "the protocol: the head is case-insensitive; ggp-base: RequestFactory.create",
	"white space":          "the protocol: they occur anywhere; ggp-base: SymbolFactory.preprocess",
	"upper case":           "GameController: RemotePlayer.gameStart and constructPlayOrStopMessage write rules, role and moves in upper case",
	"upper-cased moves":    "the protocol: a few servers send PLAY and STOP in upper case, START as it is",
	"first move":           "the protocol: any atom there means that no move has been made; ggp-base: RequestFactory.parseMoves",
	"unknown match":        "the protocol: busy; ggp-base: PlayRequest.process, StopRequest.process, AbortRequest.process",
	"repeated message":     "the protocol: messages have no turn numbers, and a joint move that is not legal in the position can be noticed",
	"extra arguments":      "the protocol: extra arguments are ignored; ggp-base: RequestFactory.createStart",
	"large rules":          "the largest rulesheets in use have nearly 100 kB",
	"info while thinking":  "ggp-base: PlayerPresenceManager asks all players every second, in matches too, and shows those that are late as errors",
	"abort while thinking": "ggp-base: GameServer.abort sends ABORT at any time, and reads for 1 s",
	"closing early":        "ggp-base: RequestThread.run gives up at its clock, and GameServer.run goes on with another move",
	"request in pieces":    "ggp-base: HttpWriter.writeAsClient writes through a buffer, so that a long START leaves in pieces",
	"HTTP 1.1":             "the protocol: HTTP 1.0 or 1.1",
	"GET":                  "the protocol: some clients send GET; ggp-base: HttpWriter.writeAsClientGET",
	"cross-origin headers": "the protocol: reply headers; ggp-base: HttpReader.readAsServer and HttpWriter.writeAsServer",

	"illegal joint move": "the protocol: a joint move that is not legal can be noticed and survived",
	"nonsense":           "the protocol: status 400 with a one-line reason; never silence, never a crash",
	"broken rules":       "the protocol: nonsense",
	"half-sent requests": "good manners: whoever reaches the player can do so",
	"deep nesting":       "the protocol: nonsense, never a crash",
}

// managerSources tell the same of the rules for managers, by the players that rely on them.
var managerSources = map[string]string{
	"request":         "ggp-base: HttpReader.readAsServer reads what Content-Length announces; one champion drops a POST without it",
	"message":         "ggp-base: RequestFactory.create drops what it does not know, and the connection stays open",
	"start":           "ggp-base: StateMachineGamer.metaGame begins with the role and the rules",
	"role":            "the protocol: the role random is played by the server; ggp-base: GameServer asks no player for it",
	"clocks":          "ggp-base: RequestFactory.createStart reads clocks as integers, and drops the START otherwise",
	"match id":        "ggp-base: PlayRequest.process, StopRequest.process and AbortRequest.process answer busy to another id",
	"ready first":     "ggp-base: GameServer.sendStartRequests waits for all replies; GamePlayer.run reads one message after another",
	"first PLAY":      "ggp-base: StateMachineGamer.selectMove makes any joint move that PLAY tells",
	"one PLAY a turn": "ggp-base: StateMachineGamer.selectMove makes the joint move of every PLAY, so that a second one loses the position",
	"joint move":      "ggp-base: StateMachineGamer.selectMove gives the moves to the roles in order, and GdlPool compares with regard to case",
	"end":             "ggp-base: GameServer.run asks for moves until the position is terminal; StateMachineGamer.selectMove has none after that",

	"move: at once":    "the protocol: a legal move",
	"move: slow":       "the protocol: the play clock",
	"move: spread out": "ggp-base: GdlFunction.toString, by which players reply, writes blanks inside of parentheses",
	"waiting":          "ggp-base: PlayRequest.process gives the player the whole play clock from the arrival of PLAY",
}
