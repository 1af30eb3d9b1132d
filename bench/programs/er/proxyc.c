// A small proxy: the main thread is the listener, four handler threads each serve one client over a
// socket pair, fetching pages from a store and writing them back in two parts. A client that hangs up
// after the first part makes the second write raise SIGPIPE, of which the whole proxy dies.
// Stands for: "proxyc-1" of Execution Reduction Tables 1-6 (SIGPIPE bug, 9 threads).
// Ours differs: written anew; the four clients are threads of the same process, so that a run needs no network.
// heddle-kernel: family=proxyc kind=signal granularity=sync optimum=1 class=order paper=execution-reduction row=proxyc-1
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kHandlers = 4, kRequests = 3, kPages = 3, kImpatient = 2, kPart = 8 };

static const char* const kStore[kPages] = {"index   of page", "picture of a cat", "long    last page"};

struct wire {
  int client, proxy;
};

static struct wire wires[kHandlers];
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static int cache_hits[kPages];

static int receive(int socket, char* to, size_t size) {
  size_t have = 0;
  while (have < size) {
    ssize_t got = read(socket, to + have, size - have);
    if (got <= 0) return 0;
    have += (size_t)got;
  }
  return 1;
}

static int transmit(int socket, const char* from, size_t size) {
#ifdef FIXED
  return send(socket, from, size, MSG_NOSIGNAL) == (ssize_t)size;
#else
  return write(socket, from, size) == (ssize_t)size;  // BUG
#endif
}

static void* handle(void* arg) {
  struct wire* wire = arg;
  char page = 0;
  while (receive(wire->proxy, &page, 1)) {
    pthread_mutex_lock(&cache_lock);
    cache_hits[(int)page]++;
    pthread_mutex_unlock(&cache_lock);
    const char* text = kStore[(int)page];
    if (!transmit(wire->proxy, text, kPart) || !transmit(wire->proxy, text + kPart, kPart - 1)) break;
  }
  close(wire->proxy);
  return NULL;
}

static void* browse(void* arg) {
  struct wire* wire = arg;
  int impatient = wire == &wires[kImpatient];
  for (int i = 0; i < kRequests; i++) {
    char page = (char)(i % kPages), text[2 * kPart] = {0};
    if (write(wire->client, &page, 1) != 1) break;
    if (!receive(wire->client, text, kPart)) break;
    if (impatient && i == kRequests - 1) break;  // hangs up in the middle of the page
    if (!receive(wire->client, text + kPart, kPart - 1)) break;
    assert(strncmp(text, kStore[(int)page], 2 * kPart - 1) == 0);
  }
  close(wire->client);
  return NULL;
}

int main(void) {
  pthread_t handlers[kHandlers], clients[kHandlers];
  for (int i = 0; i < kHandlers; i++) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 2;
    wires[i] = (struct wire){pair[0], pair[1]};
    pthread_create(&handlers[i], NULL, handle, &wires[i]);
    pthread_create(&clients[i], NULL, browse, &wires[i]);
  }
  for (int i = 0; i < kHandlers; i++) {
    pthread_join(clients[i], NULL);
    pthread_join(handlers[i], NULL);
  }
  return 0;
}
