#include "exec/view_keeper.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

namespace heddle::exec {

namespace {

// Linux 5.2; the headers of glibc 2.35 and older do not have them.
constexpr unsigned kOpenTreeClone = 1;
constexpr unsigned kOpenTreeCloexec = O_CLOEXEC;
constexpr unsigned kMoveEmptyPath = 4;  // MOVE_MOUNT_F_EMPTY_PATH

int copy_of_tree(int at, const char* path) {
  return static_cast<int>(::syscall(SYS_open_tree, at, path, kOpenTreeClone | kOpenTreeCloexec | (*path == 0 ? AT_EMPTY_PATH : 0u)));
}

bool write_text(const char* path, const char* text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const auto length = static_cast<ssize_t>(::strlen(text));
  const bool whole = ::write(fd, text, static_cast<size_t>(length)) == length;
  ::close(fd);
  return whole;
}

class ViewKeeper {
 public:
  explicit ViewKeeper(const KeeperPlan& plan, int socket) : plan_(plan), socket_(socket) {}

  [[noreturn]] void serve() {
    char command = 0;
    while (::read(socket_, &command, 1) == 1) {
      int directories[kMaxRoots];
      for (int& fd : directories) fd = -1;
      bool done = false;
      if (command == kKeeperOpen) {
        done = open_namespace() && open_layer(directories);
      } else {
        if (command == kKeeperAnew) replace(kept_, -1);
        if (command == kKeeperKeep) replace(kept_, std::exchange(written_, -1));
        done = mount_all(directories);
      }
      answer(done ? 0 : errno, directories);
    }
    ::_exit(0);
  }

 private:
  bool at(const char* step) {
    step_ = step;
    return true;
  }

  static void replace(int& fd, int by) {
    if (fd >= 0) ::close(fd);
    fd = by;
  }

  const char* staged(const char* form, int i) {
    char rest[32];
    std::snprintf(rest, sizeof rest, form, i);
    std::snprintf(path_, sizeof path_, "%s/%s", plan_.stage, rest);
    return path_;
  }

  bool open_namespace() {
    at("unshare");
    // Message queues and System V objects are files of another kind: each worker has its own of them too.
    if (::unshare(CLONE_NEWNS | CLONE_NEWIPC) != 0) {
      if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC) != 0) return false;
      at("map the user");
      char line[64];
      write_text("/proc/self/setgroups", "deny");
      std::snprintf(line, sizeof line, "%u %u 1\n", plan_.user, plan_.user);
      if (!write_text("/proc/self/uid_map", line)) return false;
      std::snprintf(line, sizeof line, "%u %u 1\n", plan_.group, plan_.group);
      if (!write_text("/proc/self/gid_map", line)) return false;
      mapped_ = true;
    }
    ::prctl(PR_SET_DUMPABLE, 1);  // the tool opens our namespaces through /proc
    at("make mounts private");
    if (::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
    at("open the directories");
    for (int i = 0; i < plan_.root_count; ++i) {
      roots_[i] = ::open(plan_.roots[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (roots_[i] < 0) return false;
    }
    for (int i = 0; i < plan_.rebind_count; ++i) rebinds_[i] = ::open(plan_.rebinds[i], O_PATH | O_NOFOLLOW | O_CLOEXEC);
    return true;
  }

  bool mount_stage() {
    at("mount a tmpfs");
    return ::mount("heddle", plan_.stage, "tmpfs", 0, "mode=0755") == 0;
  }

  // The layer of placed files: a directory for each root, filled by the tool.
  bool open_layer(int* directories) {
    if (!mount_stage()) return false;
    for (int i = 0; i < plan_.root_count; ++i) {
      if (!make_like_root("%d", i)) return false;
      directories[i] = ::open(staged("%d", i), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    at("open_tree");
    placed_ = copy_of_tree(AT_FDCWD, plan_.stage);
    if (placed_ < 0) return false;
    return ::umount2(plan_.stage, MNT_DETACH) == 0;
  }

  // The overlay's own root takes its attributes from the upper layer.
  bool make_like_root(const char* form, int i) {
    at("make a directory");
    struct stat status {};
    const char* path = staged(form, i);
    if (::mkdir(path, 0755) != 0 || ::fstat(roots_[i], &status) != 0) return false;
    if (::chown(path, status.st_uid, status.st_gid) != 0 && errno != EPERM && errno != EINVAL) return false;
    return ::chmod(path, status.st_mode & 07777) == 0;
  }

  bool attach(int tree, const char* name) {
    at("attach a layer");
    const char* path = staged(name, 0);
    if (::mkdir(path, 0755) != 0) return false;
    const int copy = copy_of_tree(tree, "");
    if (copy < 0) return false;
    const long moved = ::syscall(SYS_move_mount, copy, "", AT_FDCWD, path, kMoveEmptyPath);
    ::close(copy);
    return moved == 0;
  }

  bool mount_all(int* directories) {
    for (int i = plan_.root_count - 1; i >= 0; --i) {
      if (mounted_[i]) ::umount2(plan_.roots[i], MNT_DETACH);
      mounted_[i] = false;
    }
    replace(written_, -1);
    if (!mount_stage() || !attach(placed_, "placed") || (kept_ >= 0 && !attach(kept_, "kept"))) return false;
    for (int i = 0; i < plan_.root_count; ++i) {
      if (!make_like_root("u%d", i)) return false;
      at("make a directory");
      if (::mkdir(staged("w%d", i), 0700) != 0) return false;
      if (!mount_overlay(i)) return false;
      mounted_[i] = true;
      directories[i] = ::open(staged("u%d", i), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    at("open_tree");
    written_ = copy_of_tree(AT_FDCWD, plan_.stage);
    if (written_ < 0 || ::umount2(plan_.stage, MNT_DETACH) != 0) return false;
    rebind();
    return true;
  }

  bool mount_overlay(int i) {
    at("mount an overlay");
    char kept[kMaxViewPath] = "";
    if (kept_ >= 0) std::snprintf(kept, sizeof kept, "%s/kept/u%d:", plan_.stage, i);
    // The root by descriptor: its own path may contain what separates options.
    const int n = std::snprintf(options_, sizeof options_, "lowerdir=%s%s/placed/%d:/proc/self/fd/%d,upperdir=%s/u%d,workdir=%s/w%d%s",
                                kept, plan_.stage, i, roots_[i], plan_.stage, i, plan_.stage, i, mapped_ ? ",userxattr" : "");
    errno = ENAMETOOLONG;
    return n > 0 && n < static_cast<int>(sizeof options_) &&
           ::mount("heddle", plan_.roots[i], "overlay", 0, static_cast<const void*>(options_)) == 0;
  }

  // A socket or FIFO seen through an overlay is another one than the world's: the real ones are put in their places.
  void rebind() {
    for (int i = 0; i < plan_.rebind_count; ++i) {
      char source[48];
      std::snprintf(source, sizeof source, "/proc/self/fd/%d", rebinds_[i]);
      if (rebinds_[i] >= 0) ::mount(source, plan_.rebinds[i], nullptr, MS_BIND | MS_REC, nullptr);
    }
  }

  void answer(int error, int* directories) {
    KeeperAnswer text{};
    text.error = error;
    std::snprintf(text.step, sizeof text.step, "%s", step_);
    iovec piece{&text, sizeof text};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int) * kMaxRoots)] = {};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (error == 0) {
      const size_t bytes = sizeof(int) * static_cast<size_t>(plan_.root_count);
      message.msg_control = space;
      message.msg_controllen = CMSG_SPACE(bytes);
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(bytes);
      std::memcpy(CMSG_DATA(header), directories, bytes);
    }
    if (::sendmsg(socket_, &message, MSG_NOSIGNAL) < 0) ::_exit(1);
    for (int i = 0; i < plan_.root_count; ++i) {
      if (directories[i] >= 0) ::close(directories[i]);
    }
  }

  const KeeperPlan& plan_;
  int socket_;
  const char* step_ = "";
  bool mapped_ = false;
  int roots_[kMaxRoots];
  int rebinds_[kMaxRebinds];
  bool mounted_[kMaxRoots] = {};
  int placed_ = -1;   // trees, detached: the layer of placed files...
  int kept_ = -1;     // ...what was written before the first thread...
  int written_ = -1;  // ...and what is being written
  char path_[kMaxViewPath];
  char options_[4096];
};

}  // namespace

void keep_view(const KeeperPlan& plan, int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  constexpr int kSocket = 3;
  if (socket != kSocket) ::dup2(socket, kSocket);
  ::syscall(SYS_close_range, 4u, ~0u, 0u);
  static char room[sizeof(ViewKeeper)] __attribute__((aligned(alignof(ViewKeeper))));
  (new (room) ViewKeeper(plan, kSocket))->serve();
}

}  // namespace heddle::exec
