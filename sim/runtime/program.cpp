// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

namespace tidings {
namespace {

std::system_error cannot_run(const std::string& name, int error) {
  return std::system_error(error, std::generic_category(), "cannot run " + name);
}

/// 0, or why the file cannot be executed.
int check_executable(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::string joined(const std::string& first, const char* rest, char separator) {
  return rest == nullptr || *rest == '\0' ? first : first + separator + rest;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.empty()) throw cannot_run("a program without a name", ENOENT);
  if (name.find('/') != std::string::npos) {
    if (const int error = check_executable(name); error != 0) throw cannot_run(name, error);
    return name;
  }
  const char* path = std::getenv("PATH");
  std::istringstream directories(path == nullptr ? "/usr/bin:/bin" : path);
  int error = ENOENT;
  for (std::string directory; std::getline(directories, directory, ':');) {
    const std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
    const int found = check_executable(candidate);
    if (found == 0) return candidate;
    if (found == EACCES) error = found;
  }
  throw cannot_run(name, error);
}

std::vector<std::string> rank_environment(const std::map<std::string, std::string>& additions,
                                          const std::string& rank_library, const std::string& library_directory) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : additions) variables[name] = value;
  const auto put_first = [&variables](const char* name, const std::string& value) {
    variables[name] = joined(value, variables[name].c_str(), ':');
  };
  put_first("LD_PRELOAD", rank_library);
  if (!library_directory.empty()) put_first("LD_LIBRARY_PATH", library_directory);
  // A program with the address sanitizer does not like that our library comes before its own.
  put_first("ASAN_OPTIONS", "verify_asan_link_order=0");

  std::vector<std::string> result;
  for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
  return result;
}

ProgramImage::ProgramImage(std::string path, std::vector<std::string> arguments, std::vector<std::string> environment)
    : path_(std::move(path)),
      arguments_(std::move(arguments)),
      environment_(std::move(environment)),
      argument_pointers_(pointers(arguments_)),
      environment_pointers_(pointers(environment_)) {
  environment_pointers_.push_back(nullptr);
}

void ProgramImage::execute(char* variable) const {
  environment_pointers_.end()[-2] = variable;
  execve(path_.c_str(), argument_pointers_.data(), environment_pointers_.data());
}

void become_rank(const ProgramImage& image, Segment& segment, int standard_input, RankOutput output) {
  dup2(standard_input, STDIN_FILENO);
  dup2(output.standard_output, STDOUT_FILENO);
  dup2(output.standard_error, STDERR_FILENO);
  fcntl(segment.file(), F_SETFD, 0);
  if (const tidings_events* const events = segment.events()) fcntl(events->file, F_SETFD, 0);
  tidings_channel& channel = segment.channel();
  channel.owner_pid = getpid();
  image.execute(segment.variable());
  const char* cause = strerrordesc_np(errno);
  strncpy(channel.fail, cause == nullptr ? "unknown error" : cause, sizeof channel.fail - 1);
  _exit(kCannotExecute);
}

}  // namespace tidings
