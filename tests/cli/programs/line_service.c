// A service that answers lines. usage: line_service threads|pool|loop|feed|streams|datagrams PORT
// threads: a thread for each connection. pool: four threads take connections from a queue. loop: one thread and an epoll set; another one does nothing of use.
// feed: as threads, and answers nobody. streams: as threads, greets first, and says everything through the C library's streams.
// datagrams: three threads wait for them at one socket.
// A line is a command and a number. What each does wrong is beside it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct session {
  int fd;
  const char* name;
  char place[32];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rows[64], first, second, pieces;
static int* smashed = rows;
static volatile sig_atomic_t flag;

static void on_signal(int number) { flag = number; }

static void keep(const char* text) {
  const int fd = open("kept", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (write(fd, text, strlen(text)) < 0) abort();
  close(fd);
}

static void look(void) {
  char text[8] = "";
  const int fd = open("kept", O_RDONLY);
  if (fd >= 0 && read(fd, text, 3) == 3 && memcmp(text, "bad", 3) == 0) abort();
  if (fd >= 0) close(fd);
}

static void execute(struct session* s, const char* line, char* answer) {
  const int number = atoi(line + strcspn(line, " "));
  strcpy(answer, "ok\n");
  pthread_mutex_lock(&lock);
  if (strncmp(line, "set", 3) == 0) rows[number & 63] = number;
  if (strncmp(line, "get", 3) == 0) sprintf(answer, "%d\n", rows[number & 63]);
  if (strncmp(line, "one", 3) == 0) first = number;
  if (strncmp(line, "two", 3) == 0) second = first;
  if (strncmp(line, "three", 5) == 0 && second != 0) abort();         // what one connection wrote another passed on
  if (strncmp(line, "piece", 5) == 0 && ++pieces == number) abort();  // it takes so many of them
  if (strncmp(line, "smash", 5) == 0) smashed = NULL;
  if (strncmp(line, "touch", 5) == 0) *smashed = number;  // a pointer that somebody smashed long before
  if (strncmp(line, "keep", 4) == 0) keep("bad");
  if (strncmp(line, "look", 4) == 0) look();                // what came through a file
  if (strncmp(line, "flag", 4) == 0 && flag != 0) abort();  // a signal had come
  if (strncmp(line, "use", 3) == 0) {
    strcpy(s->place, "x");
    s->name = s->place;
  }
  if (strncmp(line, "load", 4) == 0) sprintf(answer, "%zu\n", strlen(s->name));  // no name
  pthread_mutex_unlock(&lock);
}

// False: the connection is over. `again`: nothing is there yet.
static int serve_once(struct session* s, int* again) {
  char line[256], answer[64];
  const ssize_t n = recv(s->fd, line, sizeof line - 1, 0);
  *again = n < 0 && errno == EAGAIN;
  if (n <= 0) return 0;
  line[n] = 0;
  execute(s, line, answer);
  return send(s->fd, answer, strlen(answer), MSG_NOSIGNAL) > 0;
}

static void* serve(void* argument) {
  struct session s = {(int)(long)argument, NULL, ""};
  int again;
  while (serve_once(&s, &again)) {
  }
  close(s.fd);
  return NULL;
}

static void* feed(void* argument) {
  struct session s = {(int)(long)argument, NULL, ""};
  char line[256], answer[64];
  FILE* in = fdopen(s.fd, "r");
  while (fgets(line, sizeof line, in) != NULL) execute(&s, line, answer);
  fclose(in);
  return NULL;
}

static void* stream(void* argument) {
  struct session s = {(int)(long)argument, NULL, ""};
  char *line = NULL, answer[64];
  size_t room = 0;
  FILE* in = fdopen(s.fd, "r");
  FILE* out = fdopen(dup(s.fd), "w");
  dprintf(s.fd, "who is %s\n", "there");
  while (getline(&line, &room, in) > 0) {
    execute(&s, line, answer);
    fprintf(out, "%s", answer);
    fflush(out);
  }
  free(line);
  fputs("bye\n", out);
  fclose(out);
  fclose(in);
  return NULL;
}

static void* (*serving(const char* kind))(void*) {
  if (strcmp(kind, "streams") == 0) return stream;
  if (strcmp(kind, "feed") == 0) return feed;
  return strcmp(kind, "threads") == 0 ? serve : NULL;
}

static void* take_datagrams(void* argument) {
  struct session s = {(int)(long)argument, NULL, ""};
  for (;;) {
    char line[256], answer[64];
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    const ssize_t n = recvfrom(s.fd, line, sizeof line - 1, 0, (struct sockaddr*)&from, &size);
    if (n <= 0) return NULL;
    line[n] = 0;
    execute(&s, line, answer);
    sendto(s.fd, answer, strlen(answer), 0, (struct sockaddr*)&from, size);
  }
}

static void serve_datagrams(const struct sockaddr_in* a) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  pthread_t threads[3];
  if (bind(fd, (const struct sockaddr*)a, sizeof *a) != 0) exit(2);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, take_datagrams, (void*)(long)fd);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}

static int queue[1024];
static unsigned head, tail;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;

static void* work(void* argument) {
  for (;;) {
    pthread_mutex_lock(&queue_lock);
    while (head == tail) pthread_cond_wait(&filled, &queue_lock);
    const int fd = queue[head++ % 1024];
    pthread_mutex_unlock(&queue_lock);
    serve((void*)(long)fd);
  }
  return argument;
}

static void* idle(void* argument) {
  for (;;) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    usleep(100000);
  }
  return argument;
}

static void loop(int listener) {
  const int set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = NULL}};
  fcntl(listener, F_SETFL, O_NONBLOCK);
  epoll_ctl(set, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    struct epoll_event got[16];
    const int count = epoll_wait(set, got, 16, -1);
    for (int i = 0; i < count; i++) {
      struct session* s = got[i].data.ptr;
      int again = 0;
      if (s == NULL) {
        int fd, one = 1;
        while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
          s = calloc(1, sizeof *s);
          s->fd = fd;
          setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
          event.events = EPOLLIN | EPOLLET;
          event.data.ptr = s;
          epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
        }
        continue;
      }
      while (serve_once(s, &again)) {
      }
      if (again) continue;
      close(s->fd);
      free(s);
    }
  }
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  int one = 1;
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(words[2])), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  pthread_t thread;
  signal(SIGUSR1, on_signal);
  if (strcmp(words[1], "datagrams") == 0) serve_datagrams(&a);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr*)&a, sizeof a) != 0 || listen(listener, 64) != 0) return 2;
  if (strcmp(words[1], "loop") == 0) {
    pthread_create(&thread, NULL, idle, NULL);
    loop(listener);
  }
  for (int i = 0; i < 4 && strcmp(words[1], "pool") == 0; i++) pthread_create(&thread, NULL, work, NULL);
  for (;;) {
    const int fd = accept(listener, NULL, NULL);
    if (fd < 0) continue;
    if (serving(words[1]) != NULL) {
      pthread_create(&thread, NULL, serving(words[1]), (void*)(long)fd);
      pthread_detach(thread);
      continue;
    }
    pthread_mutex_lock(&queue_lock);
    queue[tail++ % 1024] = fd;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&queue_lock);
  }
}
