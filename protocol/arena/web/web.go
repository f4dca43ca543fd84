// Package web serves the arena's page: games and their boards, matches against players of all kinds, records, and analysis. It owns the HTTP
// interface, the page (page/, in TypeScript; dist/ holds the generated files) and the tables at which people play. It knows neither players
// nor searches: Config has their constructors.
//
// The page is for the user of this machine. Strangers are limited all the same: requests of other pages are refused, nothing is loaded from
// elsewhere, and everything that can be started is limited in number and time.
package web

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	stdlog "log"
	"math"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/internal/jsonfault"
	"stackmate/internal/recent"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/distributed"
	"stackmate/reasoner/machine"
)

//go:generate go run -C ../../../tools ./bundle -in ../protocol/arena/web/page -out ../protocol/arena/web/dist

//go:embed dist
var dist embed.FS

// Config has the games, players and searches of a Server.
type Config struct {
	Games []Source // best-known games first
	// Rules finds the rulesheet of one of the Games, or of a member of a family, and a
	// file name for messages about it.
	Rules func(name string) (file string, text []byte, err error)
	// Page, if not nil, finds the text of a game's page (board.ReadPage), nil if it has none.
	Page func(name string) ([]byte, error)
	// Compile makes the machine of a game, within some tens of seconds.
	Compile func(ctx context.Context, g *gdl.Game) (machine.Machine, error)
	// Class returns the class of a game in words.
	Class func(ctx context.Context, m machine.Machine) string
	// Players are the kinds of players to choose from; Player makes one.
	Players []string
	Player  func(kind string) (arena.Player, error)
	// Analyse searches a position until ctx ends or nothing is left to find, and reports results for the page on the way.
	Analyse func(ctx context.Context, g *gdl.Game, m machine.Machine, q machine.State, report func(any)) error
	// Prove, if not nil, proves within some time what should hold in all positions of a game: a list for the page.
	Prove   func(ctx context.Context, g *gdl.Game, budget time.Duration) (any, error)
	Archive *arena.Archive
	// Tournaments, if not nil, are the tournaments of the archive. Tunable are the kinds of players that have
	// the Parameters.
	Tournaments *distributed.Tournaments
	Parameters  []arena.Parameter
	Tunable     []string
	// Token, if not "", is asked for at the first request of a browser.
	Token string
	Log   zerolog.Logger
}

// Source is a game to choose from.
type Source struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Summary string `json:"summary,omitempty"`
	// Pattern is the form of the names of a family: connectFour-WxH.
	Pattern    string      `json:"pattern,omitempty"`
	Parameters []Parameter `json:"parameters,omitempty"`
	From       string      `json:"from"`            // "built-in", or the name of the folder
	First      bool        `json:"first,omitempty"` // the page begins with it
	Group      string      `json:"group"`           // games of a group are consecutive
}

// Parameter is a number in the name of a game.
type Parameter struct {
	Name    string `json:"name"` // as in the pattern
	About   string `json:"about"`
	Min     int    `json:"min"`
	Max     int    `json:"max"`
	Default int    `json:"default"`
	List    bool   `json:"list,omitempty"` // numbers joined by dots
}

// Limits on concurrent work, and on the sizes of requests.
const (
	maxUploads   = 32
	maxStreams   = 1024
	maxSearches  = 2
	maxQueued    = 32 // searches or compilations that wait
	maxMatches   = 2
	maxThinking  = 4 // players at tables
	maxReading   = 4
	maxCompiling = 2
	maxUpload    = 4 << 20  // bytes of a rulesheet
	maxBody      = 64 << 10 // of any other request
	maxMoves     = 2000     // of a position that is named by the moves that lead there
)

// Server is the page. It is safe for concurrent use.
type Server struct {
	Config
	ctx      context.Context
	page     fs.FS
	library  *library
	tables   tables
	records  recent.Cache[told, *arena.Record]
	pictures recent.Cache[toldTurn, json.RawMessage]
	counted  counted
	watched  broadcasts
	searches *room
	matches  *room
	thinking *room
	streams  *room
	recorded atomic.Int64 // matches since the start
	host     string       // that the page was opened to, "" for any
	underWay sync.WaitGroup
}

// New makes a server. All its goroutines end with ctx.
func New(ctx context.Context, c Config) (*Server, error) {
	page, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, err
	}
	s := &Server{
		Config: c, ctx: ctx, page: page, library: newLibrary(ctx, c),
		searches: newRoom("analyses", maxSearches, maxQueued), matches: newRoom("matches", maxMatches, 0),
		streams: newRoom("watchers", maxStreams, 0), thinking: newRoom("players at tables", maxThinking, math.MaxInt),
	}
	s.tables.byID, s.tables.aside = make(map[string]*table), make(map[string]chan struct{})
	s.watched.byID = make(map[string]*broadcast)
	return s, nil
}

// Serve answers on l until the server's context is done, then returns nil when all that
// was under way has ended.
func (s *Server) Serve(l net.Listener) error {
	s.host = l.Addr().String()
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		MaxHeaderBytes: 256 << 10, ErrorLog: stdlog.New(s.Log, "", 0),
		BaseContext: func(net.Listener) context.Context { return s.ctx },
	}
	stopped := context.AfterFunc(s.ctx, func() { _ = server.Close() })
	defer stopped()
	err := server.Serve(l)
	s.tables.close()
	s.underWay.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Handler answers the requests of the page.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files{s.page}))
	mux.HandleFunc("GET /api/games", answer(s, s.listGames))
	mux.HandleFunc("GET /api/game", answer(s, s.showGame))
	mux.HandleFunc("GET /api/class", s.events(s.showClass))
	mux.HandleFunc("GET /api/position", answer(s, s.showPosition))
	mux.HandleFunc("GET /api/analyse", s.events(s.analyse))
	mux.HandleFunc("POST /api/rules", answer(s, s.upload))
	mux.HandleFunc("POST /api/check", answer(s, s.checkRules))
	mux.HandleFunc("GET /api/told", answer(s, s.tellRules))
	mux.HandleFunc("GET /api/proofs", answer(s, s.proveRules))
	mux.HandleFunc("POST /api/moves", answer(s, s.readMoves))
	mux.HandleFunc("GET /api/deciding", answer(s, s.showDeciding))
	mux.HandleFunc("GET /api/tables", answer(s, s.listTables))
	mux.HandleFunc("POST /api/tables", answer(s, s.openTable))
	mux.HandleFunc("GET /api/tables/{id}", s.events(s.followTable))
	mux.HandleFunc("GET /api/tables/{id}/legal", answer(s, s.legalMoves))
	mux.HandleFunc("POST /api/tables/{id}/{act}", answer(s, s.actAtTable))
	mux.HandleFunc("GET /api/matches", answer(s, s.listMatches))
	mux.HandleFunc("POST /api/matches", answer(s, s.holdMatch))
	mux.HandleFunc("GET /api/matches/{id}", s.events(s.followMatch))
	mux.HandleFunc("GET /api/matches/{id}/position", answer(s, s.showTurn))
	mux.HandleFunc("GET /api/matches/{id}/record", s.saveRecord)
	mux.HandleFunc("POST /api/records", answer(s, s.openRecord))
	mux.HandleFunc("GET /api/standings", s.events(s.followStandings))
	mux.HandleFunc("GET /api/standings/plot", s.plotStandings)
	if s.Tournaments != nil {
		mux.HandleFunc("GET /api/tournaments", answer(s, s.listTournaments))
		mux.HandleFunc("POST /api/tournaments", answer(s, s.beginTournament))
		mux.HandleFunc("POST /api/tournaments/{run}/{act}", answer(s, s.actOnTournament))
	}
	return s.protect(mux)
}

// files are the files of the page. A path that is no valid text names no file.
type files struct{ fs.FS }

func (f files) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	return f.FS.Open(name)
}

// fault is an error with an HTTP status.
type fault struct {
	status int
	error
}

func (f *fault) Unwrap() error { return f.error }

func faulty(status int, text string) error { return &fault{status, errors.New(text)} }

// told returns the text of an error without the paths of this machine.
func (s *Server) told(err error) string {
	text := strings.ReplaceAll(err.Error(), s.Archive.Dir()+string(filepath.Separator), "")
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		text = strings.ReplaceAll(text, p.Path, filepath.Base(p.Path))
	}
	return text
}

// writeJSON writes the result of a handler, or its error.
func (s *Server) writeJSON(w http.ResponseWriter, value any, err error) {
	status := http.StatusOK
	var text []byte
	if err == nil {
		if text, err = json.Marshal(value); err != nil {
			err = faulty(http.StatusInternalServerError, err.Error())
		}
	}
	if err != nil {
		status = http.StatusBadRequest
		if f, ok := errors.AsType[*fault](err); ok {
			status = f.status
		} else if errors.Is(err, fs.ErrNotExist) {
			status = http.StatusNotFound
		}
		text, _ = json.Marshal(map[string]string{"error": s.told(err)}) // strings have a JSON form
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the error of a closed connection is of no use
}

// answer makes a handler of a function that returns a value for JSON.
func answer[T any](s *Server, f func(r *http.Request) (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
		value, err := f(r)
		s.writeJSON(w, value, err)
	}
}

// readJSON decodes the body of a request.
func readJSON(r *http.Request, into any) error {
	in := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxBody))
	if err := in.Decode(into); err != nil {
		return faulty(http.StatusBadRequest, "expected JSON: "+jsonfault.Explain(err).Error())
	}
	return nil
}

// safely runs f in a goroutine that outlives the request, and logs its panic.
func (s *Server) safely(what string, f func()) {
	s.underWay.Go(func() {
		if err := guard.Do(func() error { f(); return nil }); err != nil {
			s.Log.Error().Err(err).Msg(what)
		}
	})
}
