#include "exec/file_view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "exec/view_keeper.h"
#include "trace/error.h"

namespace heddle::exec {

namespace {

namespace fs = std::filesystem;

constexpr int kMostEntries = 2000;  // looked at below a root, for sockets and FIFOs

bool is_below(const std::string& path, const std::string& directory) {
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

std::string real_directory(const std::string& path) {
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);
  return failure || !fs::is_directory(real, failure) ? std::string() : real.string();
}

// A root below another is mounted over it: then a copy of its parents, which others may own, is never needed.
void add_root(std::vector<std::string>& roots, const std::string& path) {
  const std::string root = real_directory(path);
  if (root.empty() || root == "/" || root.size() >= kMaxViewPath / 2 || roots.size() == kMaxRoots) return;
  if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
}

// The nearest directory that exists: a placed file's own may be gone.
std::string existing_directory(const std::string& file) {
  fs::path directory = fs::path(file).parent_path();
  std::error_code failure;
  while (!directory.empty() && directory != "/" && !fs::is_directory(directory, failure)) directory = directory.parent_path();
  return directory.string();
}

void find_special_files(const std::string& root, std::vector<std::string>& found) {
  std::error_code failure;
  int looked = 0;
  fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, failure);
  for (; !failure && at != fs::recursive_directory_iterator() && ++looked < kMostEntries; at.increment(failure)) {
    if (at.depth() >= 1) at.disable_recursion_pending();
    std::error_code ignored;
    const fs::file_status status = at->symlink_status(ignored);
    if (fs::is_socket(status) || fs::is_fifo(status)) found.push_back(at->path().string());
  }
}

std::vector<std::string> mounts_below(const std::vector<std::string>& roots) {
  std::vector<std::string> found;
  std::ifstream mounts("/proc/self/mounts");
  std::string device, place, rest;
  while (mounts >> device >> place && std::getline(mounts, rest)) {
    for (const std::string& root : roots) {
      if (is_below(place, root)) found.push_back(place);
    }
  }
  return found;
}

std::string free_stage(const std::vector<std::string>& roots) {
  for (const char* candidate : {"/mnt", "/media", "/srv", "/opt", "/boot", "/var", "/run", "/home"}) {
    const std::string stage = real_directory(candidate);
    const bool free = !stage.empty() && stage.size() < sizeof(KeeperPlan::stage) && std::none_of(roots.begin(), roots.end(), [&](auto& r) {
      return r == stage || is_below(r, stage) || is_below(stage, r);
    });
    if (free) return stage;
  }
  return {};
}

void copy_text(char* to, size_t room, const std::string& from) {
  std::memcpy(to, from.c_str(), std::min(room, from.size() + 1));
  to[room - 1] = 0;
}

void place(int directory, const std::string& below, const RecordedFile& recorded) {
  for (size_t slash = below.find('/'); slash != std::string::npos; slash = below.find('/', slash + 1)) {
    ::mkdirat(directory, below.substr(0, slash).c_str(), 0755);
  }
  const Descriptor file(::openat(directory, below.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) throw Error(fmt::format("cannot put back a recorded file: {}", std::strerror(errno)));
  write_all(file.get(), recorded.bytes);
  constexpr uint64_t kSecond = 1'000'000'000;
  const timespec time{static_cast<time_t>(recorded.changed / kSecond), static_cast<long>(recorded.changed % kSecond)};
  const timespec times[2] = {time, time};
  if (recorded.changed != 0) ::futimens(file.get(), times);
}

}  // namespace

std::unique_ptr<FileView> FileView::make(const std::string& directory, const std::vector<RecordedFile>& placed, const std::string& library,
                                         std::string* why_not) {
  std::vector<std::string> roots;
  for (const std::string& root : {std::string("/tmp"), std::string("/dev/shm"), directory}) add_root(roots, root);
  for (const RecordedFile& file : placed) add_root(roots, existing_directory(file.path));
  // The outer ones first.
  std::sort(roots.begin(), roots.end(), [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  auto plan = std::make_unique<KeeperPlan>();
  for (const std::string& root : roots) copy_text(plan->roots[plan->root_count++], kMaxViewPath, root);
  std::vector<std::string> rebinds = mounts_below(roots);
  for (const std::string& root : roots) find_special_files(root, rebinds);
  // The kernel maps a large library to another place where its file system is another one.
  if (std::any_of(roots.begin(), roots.end(), [&](const std::string& root) { return is_below(library, root); })) rebinds.push_back(library);
  for (const std::string& path : rebinds) {
    if (plan->rebind_count < kMaxRebinds && path.size() < kMaxViewPath) copy_text(plan->rebinds[plan->rebind_count++], kMaxViewPath, path);
  }
  copy_text(plan->stage, sizeof plan->stage, free_stage(roots));
  plan->user = ::geteuid();
  plan->group = ::getegid();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw Error(fmt::format("socketpair: {}", std::strerror(errno)));
  Descriptor theirs(ends[1]);
  std::unique_ptr<FileView> view(new FileView);
  view->socket_ = Descriptor(ends[0]);
  view->roots_ = roots.size();
  view->keeper_ = ::fork();
  if (view->keeper_ < 0) throw Error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (view->keeper_ == 0) keep_view(*plan, theirs.get());
  theirs.reset();
  if (!view->ask(kKeeperOpen, why_not)) return nullptr;
  for (const RecordedFile& file : placed) {
    for (size_t i = roots.size(); i-- > 0;) {
      if (!is_below(file.path, roots[i])) continue;
      place(view->uppers_[i].get(), file.path.substr(roots[i].size() + 1), file);
      break;
    }
  }
  if (!view->ask(kKeeperMount, why_not)) return nullptr;
  const std::string namespaces = fmt::format("/proc/{}/ns/", view->keeper_);
  struct stat ours {};
  struct stat keepers {};
  ::stat("/proc/self/ns/user", &ours);
  ::stat((namespaces + "user").c_str(), &keepers);
  if (ours.st_ino != keepers.st_ino) view->user_namespace_ = Descriptor(::open((namespaces + "user").c_str(), O_RDONLY | O_CLOEXEC));
  view->mount_namespace_ = Descriptor(::open((namespaces + "mnt").c_str(), O_RDONLY | O_CLOEXEC));
  view->objects_namespace_ = Descriptor(::open((namespaces + "ipc").c_str(), O_RDONLY | O_CLOEXEC));
  if (!view->mount_namespace_ || !view->objects_namespace_) {
    *why_not = fmt::format("open the namespace: {}", std::strerror(errno));
    return nullptr;
  }
  return view;
}

FileView::~FileView() {
  socket_.reset();
  if (keeper_ <= 0) return;
  ::kill(keeper_, SIGKILL);
  while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// Empty, or what went wrong.
std::string FileView::receive() {
  KeeperAnswer text{};
  iovec piece{&text, sizeof text};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int) * kMaxRoots)] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ssize_t n = 0;
  do {
    n = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  if (n != sizeof text) return "the process that holds the view is gone";
  if (text.error != 0) return fmt::format("{}: {}", text.step, std::strerror(text.error));
  int directories[kMaxRoots];
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_len != CMSG_LEN(sizeof(int) * roots_)) return "the view came without its directories";
  std::memcpy(directories, CMSG_DATA(header), sizeof(int) * roots_);
  uppers_.clear();
  sizes_.clear();
  for (size_t i = 0; i < roots_; ++i) {
    struct stat status {};
    uppers_.emplace_back(directories[i]);
    sizes_.push_back(::fstat(directories[i], &status) == 0 ? status.st_size : 0);
  }
  return {};
}

bool FileView::ask(char command, std::string* why_not) {
  *why_not = ::send(socket_.get(), &command, 1, MSG_NOSIGNAL) == 1 ? receive() : "the process that holds the view is gone";
  return why_not->empty();
}

void FileView::order(char command) {
  std::string why_not;
  if (!ask(command, &why_not)) throw Error(fmt::format("the files that a run has written cannot be put back: {}", why_not));
}

// A directory of a tmpfs grows with each entry, and whatever is written below a root makes an entry in its upper layer first.
bool FileView::written() const {
  for (size_t i = 0; i < uppers_.size(); ++i) {
    struct stat status {};
    if (::fstat(uppers_[i].get(), &status) == 0 && status.st_size != sizes_[i]) return true;
  }
  return false;
}

void FileView::wipe() { order(kKeeperMount); }

void FileView::keep() {
  order(kKeeperKeep);
  kept_ = true;
}

void FileView::begin_anew() {
  if (kept_ || written()) order(kKeeperAnew);
  kept_ = false;
}

bool FileView::enter() const {
  if (user_namespace_ && ::setns(user_namespace_.get(), CLONE_NEWUSER) != 0) return false;
  return ::setns(objects_namespace_.get(), CLONE_NEWIPC) == 0 && ::setns(mount_namespace_.get(), CLONE_NEWNS) == 0;
}

}  // namespace heddle::exec
