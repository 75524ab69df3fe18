/* A closed-loop HTTP/1.1 client: one thread, epoll, exact percentiles, one JSON object on stdout.
 *
 * Every connection has one request in flight; the next is sent as soon as the answer is complete. In path, headers and
 * body %N% is a counter of ten digits (modulo -M) and %I%, in the path, the next line of the file -i.
 * Build: gcc -O2 -o load load.c
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <getopt.h>

#define RB (1 << 22)
typedef struct {
  int fd; char *out; size_t outlen, sent; char *in; size_t inlen, incap;
  uint64_t t0; int busy;
  long hdr_end, clen; int chunked, close_after, status;
} Conn;

static struct sockaddr_in addr;
static const char *method = "GET", *path = "/", *host = "127.0.0.1";
static char *headers = NULL, *body = NULL; static size_t bodylen = 0;
static char **ids = NULL; static long nids = 0;
static uint64_t counter = 0, modn = 0, sent_total = 0;
static uint64_t limit_n = 0; static int port = 80; static int noka = 0;
static double dur = 0, warm = 0;
static uint32_t *lat; static uint64_t nlat = 0, caplat = 0;
static uint64_t total = 0, st[6], errs = 0, reconn = 0, rbytes = 0;
static int ep, firsterr_shown = 0;

static uint64_t now_ns(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
static void *xrealloc(void *p, size_t n) { p = realloc(p, n); if (!p) { perror("realloc"); exit(2); } return p; }

static size_t expand(char *dst, const char *src, size_t n, uint64_t c) {
  size_t o = 0;
  for (size_t i = 0; i < n;) {
    if (i + 3 <= n && src[i] == '%' && src[i + 2] == '%') {
      if (src[i + 1] == 'N') { uint64_t v = modn ? c % modn : c; o += sprintf(dst + o, "%010llu", (unsigned long long)v); i += 3; continue; }
      if (src[i + 1] == 'I' && nids) { const char *s = ids[c % nids]; size_t l = strlen(s); memcpy(dst + o, s, l); o += l; i += 3; continue; }
    }
    dst[o++] = src[i++];
  }
  return o;
}
static void build(Conn *c) {
  uint64_t n = counter++;
  static char pb[65536]; static char *bb = NULL; static size_t bbcap = 0;
  if (bbcap < bodylen * 4 + 65536) { bbcap = bodylen * 4 + 65536; bb = xrealloc(bb, bbcap); }
  size_t pl = expand(pb, path, strlen(path), n); pb[pl] = 0;
  size_t bl = body ? expand(bb, body, bodylen, n) : 0;
  static char hb[65536]; size_t hl = headers ? expand(hb, headers, strlen(headers), n) : 0; hb[hl] = 0;
  c->outlen = 0;
  c->outlen = sprintf(c->out, "%s %s HTTP/1.1\r\nHost: %s:%d\r\n%s%s", method, pb, host, port, hb, noka ? "Connection: close\r\n" : "");
  if (body) c->outlen += sprintf(c->out + c->outlen, "Content-Length: %zu\r\n", bl);
  memcpy(c->out + c->outlen, "\r\n", 2); c->outlen += 2;
  if (bl) { memcpy(c->out + c->outlen, bb, bl); c->outlen += bl; }
  c->sent = 0; c->inlen = 0; c->hdr_end = -1; c->clen = -1; c->chunked = 0; c->close_after = 0; c->status = 0;
}
static int do_connect(Conn *c) {
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (c->fd < 0) { perror("socket"); exit(2); }
  int one = 1; setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  int r = connect(c->fd, (struct sockaddr *)&addr, sizeof addr);
  if (r < 0 && errno != EINPROGRESS) { close(c->fd); c->fd = -1; return -1; }
  struct epoll_event e = { .events = EPOLLIN | EPOLLOUT, .data.ptr = c };
  epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &e); return 0;
}
static void want(Conn *c, int out) { struct epoll_event e = { .events = EPOLLIN | (out ? EPOLLOUT : 0), .data.ptr = c }; epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e); }
static void flush_out(Conn *c) {
  while (c->sent < c->outlen) {
    ssize_t w = write(c->fd, c->out + c->sent, c->outlen - c->sent);
    if (w < 0) { if (errno == EAGAIN) { want(c, 1); return; } return; }
    c->sent += w;
  }
}
static void dropc(Conn *c) { if (c->fd >= 0) { epoll_ctl(ep, EPOLL_CTL_DEL, c->fd, NULL); close(c->fd); c->fd = -1; } }
static int more(void) { return !limit_n || sent_total < limit_n; }
static void start_req(Conn *c) {
  if (!more()) { c->busy = 0; dropc(c); return; }
  sent_total++; build(c); c->busy = 1; c->t0 = now_ns();
  if (c->fd < 0) { reconn++; if (do_connect(c) < 0) { errs++; c->busy = 0; } return; } /* EPOLLOUT sends */
  flush_out(c);
}
static char *findhdr(char *h, char *end, const char *name) {
  size_t nl = strlen(name);
  for (char *p = h; p < end;) {
    char *e = memmem(p, end - p, "\r\n", 2); if (!e) e = end;
    if ((size_t)(e - p) > nl && !strncasecmp(p, name, nl) && p[nl] == ':') { p += nl + 1; while (*p == ' ') p++; return p; }
    p = e + 2;
  }
  return NULL;
}
static int complete(Conn *c, int eof) { /* 1 = done */
  for (;;) {
    if (c->hdr_end < 0) {
      char *e = memmem(c->in, c->inlen, "\r\n\r\n", 4); if (!e) return 0;
      c->hdr_end = e - c->in + 4;
      c->status = c->inlen > 12 ? atoi(c->in + 9) : 0;
      if (c->status == 100) { memmove(c->in, c->in + c->hdr_end, c->inlen - c->hdr_end); c->inlen -= c->hdr_end; c->hdr_end = -1; continue; }
      char *he = c->in + c->hdr_end; *(he - 1) = 0; *(he-1) = '\n';
      char *v = findhdr(c->in, he, "content-length"); if (v) c->clen = atol(v);
      v = findhdr(c->in, he, "transfer-encoding"); if (v && !strncasecmp(v, "chunked", 7)) c->chunked = 1;
      v = findhdr(c->in, he, "connection");
      int http10 = !strncmp(c->in, "HTTP/1.0", 8);
      if (v && !strncasecmp(v, "close", 5)) c->close_after = 1;
      else if (http10 && !(v && !strncasecmp(v, "keep-alive", 10))) c->close_after = 1;
      if (noka) c->close_after = 1;
      if (c->status == 204 || c->status == 304) c->clen = 0;
    }
    break;
  }
  size_t bl = c->inlen - c->hdr_end;
  if (c->chunked) {
    if (bl >= 5 && !memcmp(c->in + c->inlen - 5, "0\r\n\r\n", 5) && (bl == 5 || !memcmp(c->in + c->inlen - 7, "\r\n", 2))) return 1;
    return eof;
  }
  if (c->clen >= 0) return bl >= (size_t)c->clen;
  return eof;
}
static int cmp(const void *a, const void *b) { uint32_t x = *(uint32_t *)a, y = *(uint32_t *)b; return x < y ? -1 : x > y; }

int main(int argc, char **argv) {
  int nc = 1, o; const char *idf = NULL, *bf = NULL; char *hdrs = calloc(1, 65536); int show = 0; const char *stopfile = NULL; (void)stopfile;
  while ((o = getopt(argc, argv, "a:p:c:n:d:W:m:u:H:b:i:s:M:KV")) != -1) switch (o) {
    case 'a': host = optarg; break; case 'p': port = atoi(optarg); break; case 'c': nc = atoi(optarg); break;
    case 'n': limit_n = strtoull(optarg, 0, 10); break; case 'd': dur = atof(optarg); break; case 'W': warm = atof(optarg); break;
    case 'm': method = optarg; break; case 'u': path = optarg; break;
    case 'H': strcat(hdrs, optarg); strcat(hdrs, "\r\n"); break;
    case 'b': bf = optarg; break; case 'i': idf = optarg; break; case 's': counter = strtoull(optarg, 0, 10); break;
    case 'M': modn = strtoull(optarg, 0, 10); break; case 'K': noka = 1; break; case 'V': show = 1; break;
    default: fprintf(stderr, "usage: lg -p PORT [-a HOST] -c CONNS (-n N | -d SECS) [-W WARM] [-m METHOD] -u PATH [-H 'K: V']... [-b BODYFILE] [-i IDSFILE] [-s START] [-M MOD] [-K no-keepalive] [-V show first answer]\n"); return 2;
  }
  if (!limit_n && dur <= 0) { fprintf(stderr, "need -n or -d\n"); return 2; }
  if (dur <= 0 || dur > 60) dur = dur > 60 ? 60 : 30; /* hard bound */
  headers = hdrs[0] ? hdrs : NULL;
  if (bf) { FILE *f = fopen(bf, "rb"); if (!f) { perror(bf); return 2; } body = malloc(1 << 20); bodylen = fread(body, 1, 1 << 20, f); fclose(f); while (bodylen && body[bodylen-1] == '\n') bodylen--; }
  if (idf) { FILE *f = fopen(idf, "r"); if (!f) { perror(idf); return 2; } char *l = NULL; size_t z = 0; ssize_t k; while ((k = getline(&l, &z, f)) > 0) { if (l[k-1] == '\n') l[--k] = 0; if (!k) continue; ids = xrealloc(ids, (nids + 1) * sizeof *ids); ids[nids++] = strdup(l); } fclose(f); }
  addr.sin_family = AF_INET; addr.sin_port = htons(port); inet_pton(AF_INET, host, &addr.sin_addr);
  caplat = 1 << 20; lat = xrealloc(NULL, caplat * 4);
  ep = epoll_create1(0);
  Conn *cs = calloc(nc, sizeof *cs);
  uint64_t T0 = now_ns(), Tw = T0 + (uint64_t)(warm * 1e9), Tend = Tw + (uint64_t)(dur * 1e9), last = 0;
  for (int i = 0; i < nc; i++) { cs[i].fd = -1; cs[i].out = malloc(1 << 20); cs[i].incap = 1 << 16; cs[i].in = malloc(cs[i].incap); }
  for (int i = 0; i < nc; i++) start_req(&cs[i]);
  reconn = 0;
  struct epoll_event ev[256]; int stop = 0;
  while (!stop) {
    int live = 0; for (int i = 0; i < nc && !live; i++) live |= cs[i].busy;
    if (!live) break;
    int k = epoll_wait(ep, ev, 256, 100);
    uint64_t t = now_ns(); if (t >= Tend) break;
    for (int j = 0; j < k; j++) {
      Conn *c = ev[j].data.ptr; if (c->fd < 0) continue;
      if (ev[j].events & EPOLLOUT) { if (c->sent < c->outlen) { flush_out(c); if (c->sent == c->outlen) want(c, 0); } else want(c, 0); }
      if (!(ev[j].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) continue;
      int eof = 0, dead = 0;
      for (;;) {
        if (c->incap - c->inlen < 32768) { c->incap *= 2; c->in = xrealloc(c->in, c->incap); }
        ssize_t r = read(c->fd, c->in + c->inlen, c->incap - c->inlen);
        if (r > 0) { c->inlen += r; if (now_ns() >= Tw) rbytes += r; if (c->busy && complete(c, 0)) break; continue; }
        if (r == 0) { eof = 1; break; }
        if (errno == EAGAIN) break;
        dead = 1; break;
      }
      if (!c->busy) { if (eof || dead) dropc(c); continue; }
      if (c->inlen && complete(c, eof)) {
        t = now_ns(); total++;
        if (t >= Tw) {
          last = t;
          if (nlat == caplat) { caplat *= 2; lat = xrealloc(lat, caplat * 4); }
          lat[nlat++] = (uint32_t)((t - c->t0) / 100 > UINT32_MAX ? UINT32_MAX : (t - c->t0) / 100); /* 0.1 us */
          int s = c->status / 100; st[s >= 1 && s <= 5 ? s : 0]++;
        }
        if (show || (c->status >= 400 && !firsterr_shown)) { show = 0; if (c->status >= 400) firsterr_shown = 1; fprintf(stderr, "--- %.*s\n", (int)(c->inlen > 2500 ? 2500 : c->inlen), c->in); }
        if (c->close_after || eof) dropc(c);
        start_req(c);
      } else if (eof || dead) { errs++; dropc(c); start_req(c); }
    }
  }
  uint64_t te = now_ns(); if (te > Tend) te = Tend; if (limit_n && last) te = last;
  double secs = (te - Tw) / 1e9;
  qsort(lat, nlat, 4, cmp);
#define P(q) (nlat ? lat[(uint64_t)((nlat - 1) * (q))] / 10.0 : 0.0)
  double mean = 0; for (uint64_t i = 0; i < nlat; i++) mean += lat[i] / 10.0; if (nlat) mean /= nlat;
  printf("{\"n\":%llu,\"secs\":%.3f,\"rps\":%.1f,\"mean_us\":%.1f,\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,\"max_us\":%.1f,\"s2xx\":%llu,\"s3xx\":%llu,\"s4xx\":%llu,\"s5xx\":%llu,\"s_other\":%llu,\"errs\":%llu,\"reconnects\":%llu,\"bytes\":%llu,\"total\":%llu,\"conns\":%d}\n",
    (unsigned long long)nlat, secs, secs > 0 ? nlat / secs : 0, mean, P(.5), P(.9), P(.99), P(.999), P(1.0),
    (unsigned long long)st[2], (unsigned long long)st[3], (unsigned long long)st[4], (unsigned long long)st[5], (unsigned long long)(st[0] + st[1]), (unsigned long long)errs, (unsigned long long)reconn, (unsigned long long)rbytes, (unsigned long long)total, nc);
  return 0;
}
