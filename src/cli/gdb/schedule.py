# The commands that gdb gets with a saved schedule. Reads what wire/debug_map.h says, and nothing else of the runtime. The names in capitals come
# from cli/gdb.cpp, which writes them above.
import os

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


KEPT = ("r15", "r14", "r13", "r12", "rbx", "rbp")  # the registers that a fiber leaves on its stack, above one other word


def on_fiber(record, ask):
    """What `ask` finds with the registers of a fiber that does not run."""
    stack = word(record + known("record_context"), 8)
    before = {name: int(gdb.parse_and_eval("(long)$" + name)) for name in KEPT + ("rsp", "rip", "fs_base")}
    there = {name: word(stack + 8 * (i + 1), 8) for i, name in enumerate(KEPT)}
    there.update(rip=word(stack + 56, 8), rsp=stack + 64, fs_base=word(record + known("record_fs_base"), 8))
    try:
        for name, value in there.items():
            gdb.execute("set $%s = %d" % (name, value), to_string=True)
        return ask()
    finally:
        gdb.newest_frame().select()
        for name, value in before.items():
            gdb.execute("set $%s = %d" % (name, value), to_string=True)


def own_place():
    frame = own_frame(gdb.newest_frame())
    if frame is None:
        return ""
    sal = frame.find_sal()
    return "%s:%d" % (sal.symtab.filename.rsplit("/", 1)[-1], sal.line)


def on_thread(record, ask):
    """What `ask` finds in a thread, by its kernel thread; None: there is none."""
    if CHECKPOINTS:
        return ask() if record == current() else on_fiber(record, ask)
    tid = word(record + known("record_tid"), 4)
    before = gdb.selected_thread()
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] != tid:
            continue
        thread.switch()
        try:
            return ask()
        finally:
            if before is not None:
                before.switch()
    return None


def where(record):
    """Source position of a thread."""
    try:
        return on_thread(record, own_place) or ""
    except gdb.error:
        return ""


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
change = None  # the expression, its place in memory, the number of its change, at which heddle-last stopped, and from and up to where they were counted


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
            file.truncate(CONTROL_BYTES)  # the tool looks at these meanwhile
            file.truncate(self.size)
            for at, piece in self.pieces:
                os.pwrite(file.fileno(), piece, at)

    def want(self, checkpoint):
        with open(self.path, "r+b", buffering=0) as file:
            os.pwrite(file.fileno(), checkpoint.to_bytes(8, "little"), WANTED)


def checkpoint_before(until):
    """The last one before the operation; the first where that is asked for. None: the run begins at its start."""
    earlier = [at for at in CHECKPOINTS if at < until]
    return earlier[-1] if earlier else CHECKPOINTS[0] if CHECKPOINTS else None


def become_checkpoint(command):
    """The process stops itself when it has the memory of the checkpoint. Only now there is something to put breakpoints into."""
    gdb.execute(command, to_string=True)
    if gdb.selected_inferior().pid == 0:
        raise gdb.GdbError("the checkpoint could not be put back")
    gdb.execute("sharedlibrary", to_string=True)
    watch_switches()


class Begin(gdb.Command):
    """Start the run, up to the place that was asked for."""

    def __init__(self):
        super().__init__("heddle-begin", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if not CHECKPOINTS:
            gdb.execute("run")
            return
        begin = checkpoint_before(STEP)
        shared_memory.want(begin)
        print(PREFIX + "the run begins at its checkpoint after operation %d; its threads are shown by info heddle and heddle-backtrace THREAD" % begin)
        become_checkpoint("run")
        gdb.execute("continue")


def start_again(until, begin):
    """The run from its beginning, or from a checkpoint. A schedule is exact, so every place of it comes again."""
    global first, switch
    first = until
    if switch is not None:
        switch.delete()
        switch = None
    if gdb.selected_inferior().pid != 0:
        gdb.execute("kill", to_string=True)
    shared_memory.restore()
    if CHECKPOINTS:
        shared_memory.want(begin)
        become_checkpoint("run")
    else:
        gdb.execute("starti", to_string=True)


def on_switch(until):
    start_again(until, checkpoint_before(until))
    gdb.execute("continue")


class Reverse(gdb.Command):
    """Back to the switch before this one, or to the last one before the operation with the given number."""

    def __init__(self):
        super().__init__("heddle-reverse", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        ended = gdb.selected_inferior().pid == 0
        now = int(gdb.parse_and_eval(argument)) if argument else EVENTS + 1 if ended else step()
        earlier = [at for at in SWITCHES if at < now]
        if earlier and CHECKPOINTS and earlier[-1] <= CHECKPOINTS[0]:
            raise gdb.GdbError("the first checkpoint comes after operation %d: heddle replay --gdb --from 1 begins at the start" % earlier[-1])
        if not earlier:
            raise gdb.GdbError("no switch comes before operation %d" % now)
        on_switch(earlier[-1])


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

    def changes(self, words, begin, until, number):
        start_again(until, begin)
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
        begin = checkpoint_before(until)
        # From a change of the same place it goes to the one before.
        if change is not None and change[1] == words:
            count, begin, until = change[2] - 1, change[3], change[4]
        else:
            count = self.changes(words, begin, until, 0)
        while count == 0 and begin in CHECKPOINTS[1:]:
            until, begin = begin, checkpoint_before(begin)
            count = self.changes(words, begin, until, 0)
        if count == 0:
            raise gdb.GdbError("%s does not change before this place%s" % (argument, " and after the first checkpoint" if CHECKPOINTS else ""))
        self.changes(words, begin, until, count)
        change = (argument, words, count, begin, until)
        print(PREFIX + "%s was changed by %s, after operation %d of %d" % (argument, thread_name(index_of(current())), step(), EVENTS))
        select_own()


class InfoHeddle(gdb.Command):
    """What each thread is about to do."""

    def __init__(self):
        super().__init__("info heddle", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        show_threads()


class Backtrace(gdb.Command):
    """The calls that a thread is in: heddle-backtrace 0.2"""

    def __init__(self):
        super().__init__("heddle-backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        for record in live_records():
            if thread_name(index_of(record)) == argument.strip():
                on_thread(record, lambda: gdb.execute("backtrace"))
                return
        raise gdb.GdbError("info heddle shows the threads there are: heddle-backtrace THREAD")


def loaded(event):
    # The memory of a process that is to become a checkpoint goes, and its breakpoints with it.
    if not CHECKPOINTS:
        watch_switches()


def watch_switches():
    global switch
    if switch is not None:
        return
    try:
        switch = Switch()
    except gdb.error:
        pass  # the runtime comes with a later file


gdb.events.new_objfile.connect(loaded)
gdb.events.stop.connect(stopped)
Begin()
NextSwitch()
Backtrace()
Reverse()
Last()
InfoHeddle()
ProgramFirst()
shared_memory = SharedMemory()
for signal in ("SIGUSR1", "SIGUSR2"):
    gdb.execute("handle %s nostop noprint pass" % signal, to_string=True)
print(PREFIX + "the schedule runs up to the deciding switch; then: heddle-next-switch, heddle-reverse, heddle-last EXPRESSION, info heddle")
