// Prints what the kernel says of the machine, of the process and of files: another thing each time. Ends with 4.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static void by_call(const char* path) {
  char text[4096];
  const int fd = open(path, O_RDONLY);
  const ssize_t n = read(fd, text, sizeof text);
  const ssize_t again = pread(fd, text + 2048, 1024, 0);
  printf("%s %zd %zd %.60s\n", path, n, again, text);
  close(fd);
}

static void by_stream(const char* path) {
  char line[256];
  FILE* file = fopen(path, "r");
  for (int i = 0; i < 4 && fgets(line, sizeof line, file) != NULL; ++i) printf("%s", line);
  fclose(file);
}

static void* ask(void* file) {
  char word[8];
  char link[256];
  by_call("/proc/self/stat");
  by_call("/proc/uptime");
  by_stream("/proc/meminfo");
  by_stream("/proc/self/statm");
  FILE* numbers = fopen("/dev/urandom", "r");
  for (int i = 0; i < 3 && fread(word, sizeof word, 1, numbers) == 1; ++i) {
    for (size_t k = 0; k < sizeof word; ++k) printf("%02x", word[k] & 255);
  }
  fclose(numbers);
  struct sysinfo machine;
  struct rusage used;
  struct statvfs disk;
  struct stat status;
  double loads[3];
  sysinfo(&machine);
  getrusage(RUSAGE_SELF, &used);
  statvfs(file, &disk);
  stat(file, &status);
  getloadavg(loads, 3);
  printf(" %lu %ld %ld %ld %lu %lu %ld.%ld %f %ld\n", machine.freeram, machine.uptime, used.ru_minflt, used.ru_nvcsw, disk.f_bfree,
         status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, loads[0], sysconf(_SC_AVPHYS_PAGES));
  const ssize_t n = readlink("/proc/self/exe", link, sizeof link);
  printf("%zd\n", n);
  return NULL;
}

int main(int count, char** words) {
  pthread_t thread;
  pthread_create(&thread, NULL, ask, words[count - 1]);
  pthread_join(thread, NULL);
  return 4;
}
