// The limit of a program in Go: a net/http route that sends the same SQL with pgx and returns the text of its column "body". Like
// bare-route.ts, it sends role, claims and the statement prepared, in one write and one transaction. It checks nothing. It reads a
// BareRoute as JSON from its input and prints a line when it listens.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/jackc/pgconn"
	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

type route struct {
	DatabaseURL string
	Port        int
	PoolSize    int32
	Role        string
	Claims      string
	PlanMode    string
	Text        string
	Values      [][]string
}

const become = `select set_config('request.jwt.claims', $1, true), set_config('plan_cache_mode', $2, true), set_config('role', $3, true)`

func main() {
	var r route
	exitOn(json.NewDecoder(os.Stdin).Decode(&r))
	pool, err := openPool(r)
	exitOn(err)
	caller := toParameters([]string{r.Claims, r.PlanMode, r.Role})
	variants := make([][][]byte, len(r.Values))
	for i, values := range r.Values {
		variants[i] = toParameters(values)
	}
	http.HandleFunc("/", func(w http.ResponseWriter, request *http.Request) {
		at, err := strconv.Atoi(request.URL.Query().Get("at"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body, err := read(pool, caller, variants[at%len(variants)])
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", r.Port))
	exitOn(err)
	fmt.Println("ready")
	exitOn(http.Serve(listener, nil))
}

func openPool(r route) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(r.DatabaseURL)
	if err != nil {
		return nil, err
	}
	config.MaxConns = r.PoolSize
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Prepare(ctx, "become", become); err != nil {
			return err
		}
		_, err := conn.Prepare(ctx, "query", r.Text)
		return err
	}
	return pgxpool.ConnectConfig(context.Background(), config)
}

// Runs both statements in one write with one Sync.
func read(pool *pgxpool.Pool, caller, values [][]byte) ([]byte, error) {
	ctx := context.Background()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	batch := &pgconn.Batch{}
	batch.ExecPrepared("become", caller, nil, nil)
	batch.ExecPrepared("query", values, nil, nil)
	results := conn.Conn().PgConn().ExecBatch(ctx, batch)
	var body []byte
	for results.NextResult() {
		reader := results.ResultReader()
		for reader.NextRow() {
			body = append(body[:0], reader.Values()[0]...)
		}
		if _, err := reader.Close(); err != nil {
			_ = results.Close()
			return nil, err
		}
	}
	return body, results.Close()
}

func toParameters(values []string) [][]byte {
	parameters := make([][]byte, len(values))
	for i, value := range values {
		parameters[i] = []byte(value)
	}
	return parameters
}

func exitOn(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
