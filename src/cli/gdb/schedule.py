# The commands that gdb gets with a saved schedule. Reads what wire/debug_map.h says, and nothing else of the runtime. The names in capitals come
# from cli/gdb.cpp, which writes them above.
import os
import time

import gdb

PREFIX = "heddle: "


def word(address, size):
    return int.from_bytes(bytes(gdb.selected_inferior().read_memory(address, size)), "little")


def address_of(symbol):
    with gdb.with_parameter("language", "c"):  # whatever the selected frame is written in
        return int(gdb.parse_and_eval("(unsigned long)&" + symbol))


def known(field):
    offset, size = FIELDS[field]
    return word(address_of(MAP) + offset, size)


def thread_name(index):
    return THREADS[index] if index < len(THREADS) else "thread %d" % index


def index_of(record):
    return word(record + known("record_index"), 4)


def current():
    return word(known("current"), 8)


def step():
    return word(known("step"), 8)


def own_frame(frame):
    """The innermost frame of the program's own source."""
    while frame is not None:
        sal = frame.find_sal()
        if gdb.solib_name(frame.pc()) is None and sal.symtab is not None and not sal.symtab.fullname().startswith("/usr/"):
            return frame
        frame = frame.older()
    return None


SAVED = ["r15", "r14", "r13", "r12", "rbx", "rbp", "rip"]  # behind the first word of a saved context


def on_fiber(record, action):
    """What `action` gives while the registers are those of a thread that does not run: they are put back."""
    if record == current():
        return action()
    context = word(record + known("record_context"), 8)
    wanted = {name: word(context + 8 * (i + 1), 8) for i, name in enumerate(SAVED)}
    wanted["rsp"] = context + 8 * (len(SAVED) + 1)
    frame = gdb.newest_frame()
    before = {name: int(frame.read_register(name)) & (2**64 - 1) for name in wanted}

    def put(values):
        for name, value in values.items():
            gdb.execute("set $%s = %d" % (name, value), to_string=True)

    gdb.newest_frame().select()
    put(wanted)
    try:
        return action()
    finally:
        gdb.newest_frame().select()
        put(before)


def position():
    frame = own_frame(gdb.newest_frame())
    if frame is None:
        return ""
    sal = frame.find_sal()
    return "%s:%d" % (sal.symtab.filename.rsplit("/", 1)[-1], sal.line)


def where(record):
    """Source position of a thread, by its kernel thread, or its saved context."""
    if PROCESSES:
        try:
            return on_fiber(record, position)
        except (gdb.error, gdb.MemoryError):
            return ""
    tid = word(record + known("record_tid"), 4)
    before = gdb.selected_thread()
    text = ""
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] != tid:
            continue
        thread.switch()
        try:
            frame = own_frame(gdb.newest_frame())
            if frame is not None:
                sal = frame.find_sal()
                text = "%s:%d" % (sal.symtab.filename.rsplit("/", 1)[-1], sal.line)
        except gdb.error:
            pass
    if before is not None:
        before.switch()
    return text


def symbol(address):
    if address == 0:
        return ""
    words = gdb.execute("info symbol %d" % address, to_string=True).strip()
    return "" if words.startswith(("No symbol", "heddle::")) else words.split(" in section")[0]


def describe(record):
    op = word(record + known("record_op"), 2)
    text = OPS[op] if op < len(OPS) else "?"
    name = symbol(word(record + known("record_address"), 8))
    place = where(record)
    return text + (" " + name if name else "") + ("  " + place if place else "")


def live_records():
    for i in range(word(known("live_count"), 4)):
        entry = known("live") + i * known("live_stride")
        yield known("records") + word(entry + known("live_record"), 4) * known("record_stride")


def show_threads():
    print(PREFIX + "after %d of %d operations" % (step(), EVENTS))
    for record in live_records():
        print("%s %-6s before: %s" % ("*" if record == current() else " ", thread_name(index_of(record)), describe(record)))


class Switch(gdb.Breakpoint):
    """Stops where the scheduler hands over, from the given operation on."""

    def __init__(self):
        super().__init__("*%d" % address_of(SWITCH), internal=True)
        self.silent = True

    def stop(self):
        return step() >= first


first = STEP
switch = None
change = None  # the expression, its place in memory, and the number of its change, at which heddle-last stopped


def select_own():
    frame = own_frame(gdb.newest_frame())
    if frame is not None:
        frame.select()
        gdb.execute("frame")


def stopped(event):
    global change
    change = None
    if isinstance(event, gdb.SignalEvent) and switch is not None:
        select_own()
    if not isinstance(event, gdb.BreakpointEvent) or switch not in event.breakpoints:
        return
    following = int(gdb.newest_frame().read_register("rdi"))  # the only argument
    print(PREFIX + "%s is about to be stopped after operation %d; %s goes on" % (
        thread_name(index_of(current())), step(), thread_name(index_of(following))))
    select_own()


class ProgramFirst:
    """Back-traces begin with the program's own frame: above it stand those of the runtime that stopped it."""

    def __init__(self):
        self.name = "heddle"
        self.priority = 100
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        frames = list(frames)
        for i, frame in enumerate(frames):
            if not (gdb.solib_name(frame.inferior_frame().pc()) or "").endswith("/" + RUNTIME):
                return iter(frames[i:])
        return iter(frames)


class NextSwitch(gdb.Command):
    """Go on to the next switch between threads."""

    def __init__(self):
        super().__init__("heddle-next-switch", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        global first
        first = step() + 1
        gdb.execute("continue")


class SharedMemory:
    """What the tool and the program share, as it was before the first run: a run leaves its trace there, and begins with none."""

    def __init__(self):
        words = gdb.execute("show environment " + CHANNEL, to_string=True)
        process, descriptor = words.split("=", 1)[1].strip().split(":")
        self.path = "/proc/%d/fd/%d" % (int(process), int(descriptor))
        self.pieces = []
        with open(self.path, "rb", buffering=0) as file:
            self.size = os.fstat(file.fileno()).st_size
            at = 0
            while True:
                try:
                    at = os.lseek(file.fileno(), at, os.SEEK_DATA)
                    end = os.lseek(file.fileno(), at, os.SEEK_HOLE)
                except OSError:
                    break
                self.pieces.append((at, os.pread(file.fileno(), end - at, at)))
                at = end

    def restore(self):
        with open(self.path, "r+b", buffering=0) as file:
            file.truncate(0)
            file.truncate(self.size)
            for at, piece in self.pieces:
                os.pwrite(file.fileno(), piece, at)


attached = 0  # the number of the process that was attached to last


def next_process():
    """The tool makes one of the checkpoint whenever the one before has ended, and writes its number here."""
    for _ in range(6000):
        with open(PROCESSES) as file:
            words = file.read().split()
        if len(words) == 2 and int(words[0]) > attached:
            return int(words[0]), int(words[1])
        time.sleep(0.02)
    raise gdb.GdbError("no other process could be made of the checkpoint")


def attach():
    """To a process that waits at the checkpoint. It goes on with the debugger's next continue."""
    global attached
    attached, process = next_process()
    gdb.execute("attach %d" % process, to_string=True)
    loaded(None)
    gdb.selected_inferior().write_memory(known("held"), (0).to_bytes(4, "little"))


def start_again(until):
    """The run from its beginning, stopped before its first instruction. A schedule is exact, so every place of it comes again."""
    global first, switch
    first = until
    if switch is not None:
        switch.delete()
        switch = None
    if gdb.selected_inferior().pid != 0:
        gdb.execute("kill", to_string=True)
    if PROCESSES:
        attach()
        return
    shared_memory.restore()
    gdb.execute("starti", to_string=True)


def on_switch(until):
    start_again(until)
    gdb.execute("continue")


class Reverse(gdb.Command):
    """Back to the switch before this one, or to the last one before the operation with the given number."""

    def __init__(self):
        super().__init__("heddle-reverse", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        ended = gdb.selected_inferior().pid == 0
        now = int(gdb.parse_and_eval(argument)) if argument else EVENTS + 1 if ended else step()
        earlier = [at for at in SWITCHES if at < now]
        if not earlier:
            raise gdb.GdbError("no switch comes before operation %d%s" % (now, ", and the checkpoint is after operation %d" % FIRST if FIRST else ""))
        on_switch(earlier[-1])


class Restart(gdb.Command):
    """From the checkpoint to the first stop."""

    def __init__(self):
        super().__init__("heddle-restart", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        on_switch(STEP)


class Backtrace(gdb.Command):
    """The back-trace of a thread, by its name, or of all."""

    def __init__(self):
        super().__init__("heddle-backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        for record in live_records():
            name = thread_name(index_of(record))
            if argument and argument != name:
                continue
            print(PREFIX + name)
            on_fiber(record, lambda: gdb.execute("backtrace"))


class Changes(gdb.Breakpoint):
    """Counts the changes of a place in memory, and stops at the one with the given number."""

    def __init__(self, words, number):
        super().__init__(words, type=gdb.BP_WATCHPOINT, wp_class=gdb.WP_WRITE, internal=True)
        self.silent = True
        self.wanted = number
        self.count = 0

    def stop(self):
        self.count += 1
        return self.count == self.wanted


class Last(gdb.Command):
    """Back to the last change of an expression before this place: who changed it, and where. Without one: of the same place again."""

    def __init__(self):
        super().__init__("heddle-last", gdb.COMMAND_RUNNING, gdb.COMPLETE_EXPRESSION)

    def changes(self, words, until, number):
        start_again(until)
        watch = Changes(words, number)
        gdb.execute("continue", to_string=True)
        count = watch.count
        watch.delete()
        return count

    def place(self, argument):
        if not argument:
            if change is None:
                raise gdb.GdbError("an expression is needed: heddle-last EXPRESSION")
            return change[:2]
        value = gdb.parse_and_eval(argument)
        if value.address is None or value.type.sizeof not in (1, 2, 4, 8):
            raise gdb.GdbError("%s is no place of 1, 2, 4 or 8 bytes in memory" % argument)
        return argument, "*(unsigned %s *) 0x%x" % ({1: "char", 2: "short", 4: "int", 8: "long"}[value.type.sizeof], int(value.address))

    def invoke(self, argument, from_tty):
        global change
        argument, words = self.place(argument)
        until = step()
        # From a change of the same place it goes to the one before.
        count = change[2] - 1 if change is not None and change[1] == words else self.changes(words, until, 0)
        if count == 0:
            raise gdb.GdbError("%s does not change before this place" % argument)
        self.changes(words, until, count)
        change = (argument, words, count)
        print(PREFIX + "%s was changed by %s, after operation %d of %d" % (argument, thread_name(index_of(current())), step(), EVENTS))
        select_own()


class InfoHeddle(gdb.Command):
    """What each thread is about to do."""

    def __init__(self):
        super().__init__("info heddle", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        show_threads()


def loaded(event):
    global switch
    if switch is not None:
        return
    try:
        switch = Switch()
    except gdb.error:
        pass  # the runtime comes with a later file


gdb.events.new_objfile.connect(loaded)
gdb.events.stop.connect(stopped)
NextSwitch()
Reverse()
Last()
InfoHeddle()
ProgramFirst()
if PROCESSES:
    Restart()
    Backtrace()
else:
    shared_memory = SharedMemory()
for signal in ("SIGUSR1", "SIGUSR2"):
    gdb.execute("handle %s nostop noprint pass" % signal, to_string=True)
print(PREFIX + ("the schedule runs from the checkpoint after operation %d up to operation %d; threads are fibers: heddle-backtrace [THREAD]; then: " % (FIRST, STEP)
               if PROCESSES else "the schedule runs up to the deciding switch; then: ") + "heddle-next-switch, heddle-reverse, heddle-last EXPRESSION, info heddle")
