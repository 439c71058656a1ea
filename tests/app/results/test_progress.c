/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Progress: lines in a file, a bar on a terminal.
 */
#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/results/progress.h"

static void run(const char *how, bool quiet, char *text, size_t size)
{
  FILE *file = tmpfile();
  assert_non_null(file);
  progress p = progress_begin(how, quiet, file, 0, 0, 1, -1);
  for (int64_t step = 1; step <= 20; step++) {
    progress_line line = {.step = step, .time = 0.05 * (double)step, .dt = 0.05, .norm_e = 1.5, .iterations = 42};
    if (progress_wants_line(step)) progress_print_line(&p, &line);
    progress_draw(&p, step, line.time);
  }
  progress_end(&p);
  rewind(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

static int count(const char *text, char c)
{
  int n = 0;
  for (; *text; text++) n += *text == c;
  return n;
}

static void lines_in_a_file(void **state)
{
  (void)state;
  static const char *const hows[] = {"auto", "lines"};
  for (int i = 0; i < 2; i++) {
    char text[8192];
    run(hows[i], false, text, sizeof text);
    assert_int_equal(count(text, '\n'), 1 + 11); /* head, steps 1 to 10, and 20 */
    assert_null(strchr(text, '\r'));
    assert_non_null(strstr(text, "|e|"));
    assert_non_null(strstr(text, "1.500000000000000e+00"));
    assert_non_null(strstr(text, "   left\n"));
    assert_string_equal(text + strlen(text) - 10, " 00:00:00\n"); /* left, in the last line */
  }
}

static void a_bar_when_asked_for(void **state)
{
  (void)state;
  char text[8192];
  run("bar", false, text, sizeof text);
  assert_int_equal(count(text, '\n'), 1 + 11);
  assert_non_null(strchr(text, '\r'));
  assert_non_null(strchr(text, '#'));
  assert_string_equal(text + strlen(text) - 4, "\r\033[K"); /* and it is gone at the end */
}

static void silence(void **state)
{
  (void)state;
  char text[8192];
  run("none", false, text, sizeof text);
  assert_string_equal(text, "");
  run("bar", true, text, sizeof text);
  assert_string_equal(text, "");
  progress p = progress_begin("bar", false, NULL, 0, 0, 1, -1); /* another rank's */
  progress_draw(&p, 1, 0.5);
  progress_print_line(&p, &(progress_line){.step = 1});
  progress_end(&p);
}

static void how_often(void **state)
{
  (void)state;
  int n = 0;
  for (int64_t step = 1; step <= 1000; step++) n += progress_wants_line(step);
  assert_int_equal(n, 10 + 9 + 9);
  assert_true(progress_wants_line(1) && progress_wants_line(20) && progress_wants_line(500));
  assert_false(progress_wants_line(11) || progress_wants_line(110) || progress_wants_line(1050));
}

static void the_time_left(void **state)
{
  (void)state;
  char text[96];
  progress_format_bar(text, sizeof text, 0.25, 30);
  assert_non_null(strstr(text, "[##########....")); /* 10 of 40 */
  assert_non_null(strstr(text, " 25 %"));
  assert_non_null(strstr(text, "00:01:30 left"));
  progress_format_bar(text, sizeof text, 0, 30);
  assert_non_null(strstr(text, "--:--:-- left"));
  progress_format_bar(text, sizeof text, 1, 7200);
  assert_non_null(strstr(text, "100 %"));
  assert_non_null(strstr(text, "00:00:00 left"));
}

/* Whichever ends the run first: the final time or the number of steps. */
static void steps_count_too(void **state)
{
  (void)state;
  char text[1024];
  FILE *file = tmpfile();
  assert_non_null(file);
  progress p = progress_begin("bar", false, file, 0, 0, 100, 4);
  progress_draw(&p, 2, 0.001);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  assert_non_null(strstr(text, " 50 %"));
}

/* True where a terminal of so many columns has a bar, for a process whose parent writes to `output`. */
static bool has_bar(FILE *terminal, int columns, const char *output)
{
  const struct winsize window = {.ws_row = 24, .ws_col = (unsigned short)columns};
  assert_int_equal(ioctl(fileno(terminal), TIOCSWINSZ, &window), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    const int fd = open(output, O_WRONLY | O_NOCTTY);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) _exit(2);
    int status = 0;
    const pid_t child = fork();
    if (child == 0) _exit(progress_begin("auto", false, terminal, 0, 0, 1, -1).bar);
    _exit(waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 2);
  }
  int status = 0;
  assert_int_equal(waitpid(parent, &status, 0), parent);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
  return WEXITSTATUS(status) == 1;
}

/* Open MPI gives a rank a terminal without a width, also where mpiexec writes to a file. */
static void a_bar_where_somebody_looks(void **state)
{
  (void)state;
  char name[64];
  int master, slave;
  if (openpty(&master, &slave, name, NULL, NULL)) skip(); /* a container without terminals */
  FILE *terminal = fdopen(slave, "w");
  assert_non_null(terminal);
  assert_int_equal(setenv("TERM", "xterm", 1), 0);
  assert_true(has_bar(terminal, 80, "/dev/null"));
  assert_false(has_bar(terminal, 0, "/dev/null"));
  assert_true(has_bar(terminal, 0, name));
  assert_int_equal(setenv("TERM", "dumb", 1), 0);
  assert_false(has_bar(terminal, 80, name));
  fclose(terminal);
  close(master);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lines_in_a_file),
    cmocka_unit_test(a_bar_when_asked_for),
    cmocka_unit_test(silence),
    cmocka_unit_test(how_often),
    cmocka_unit_test(the_time_left),
    cmocka_unit_test(steps_count_too),
    cmocka_unit_test(a_bar_where_somebody_looks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
