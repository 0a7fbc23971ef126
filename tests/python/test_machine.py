from tallow.core import machine


def make(root, path, name, text, group):
    (root / "proc/self").mkdir(parents=True, exist_ok=True)
    (root / "proc/self/cgroup").write_text(group)
    (root / path).mkdir(parents=True, exist_ok=True)
    (root / path / name).write_text(text)


def test_without_limits_it_is_what_the_computer_has(tmp_path):
    there = machine.memory(tmp_path)
    assert there.bytes > 1e8 and not there.is_limit
    make(tmp_path, "sys/fs/cgroup", "memory.max", "max\n", "0::/\n")
    assert machine.memory(tmp_path) == there


def test_the_least_limit_of_nested_groups_counts(tmp_path):
    make(tmp_path, "sys/fs/cgroup/farm/job", "memory.max", "max\n", "0::/farm/job\n")
    make(tmp_path, "sys/fs/cgroup/farm", "memory.max", "50000000\n", "0::/farm/job\n")
    assert machine.memory(tmp_path) == (50000000, True)


def test_the_first_version_of_control_groups_counts(tmp_path):
    make(tmp_path, "sys/fs/cgroup/memory/box", "memory.limit_in_bytes", "40000000\n", "3:cpu:/\n5:memory:/box\n")
    assert machine.memory(tmp_path) == (40000000, True)
    (tmp_path / "sys/fs/cgroup/memory/box/memory.limit_in_bytes").write_text("9223372036854771712\n")
    assert not machine.memory(tmp_path).is_limit
