"""Walks every record of an MCAP file as the specification (mcap.dev/spec) describes them, checks every place, length, count
and checksum, and compares the messages with the same log in CSV.

    python3 mcap.test.py LOG.mcap LOG.csv
"""
import csv
import json
import math
import struct
import sys
import zlib

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = range(11, 16)


class Fields:
    """Reads the fields of one record."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        assert self.at + size <= len(self.data), "a field ends beyond its record"
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def text(self):
        return self.take(self.number(4)).decode("utf-8")

    def map(self, key, value):
        entries, end = {}, self.number(4)
        end += self.at
        while self.at < end:
            name = key(self)
            assert name not in entries, "a key of a map repeats"
            entries[name] = value(self)
        assert self.at == end
        return entries

    def finished(self):
        assert self.at == len(self.data), "a record is longer than its fields"


def records(data, start, end):
    """(opcode, content, place) of all records in data[start:end]."""
    while start < end:
        opcode, size = data[start], int.from_bytes(data[start + 1:start + 9], "little")
        assert opcode in range(1, 16) and start + 9 + size <= end, (opcode, size)
        yield opcode, data[start + 9:start + 9 + size], start
        start += 9 + size
    assert start == end


def strings(content):
    fields = Fields(content)
    name, entries = fields.text(), fields.map(Fields.text, Fields.text)
    fields.finished()
    return name, entries


mcap_path, csv_path = sys.argv[1:]
data = open(mcap_path, "rb").read()
assert data[:8] == MAGIC and data[-8:] == MAGIC, "no magic"

# Footer: the last record.
footer_at = len(data) - 8 - 29
assert data[footer_at] == FOOTER and int.from_bytes(data[footer_at + 1:footer_at + 9], "little") == 20
summary_start, offset_start, summary_crc = struct.unpack("<QQI", data[footer_at + 9:footer_at + 29])
assert zlib.crc32(data[summary_start:footer_at + 25]) == summary_crc != 0, "checksum of the summary"

# Data section.
schemas, channels, messages, chunks, metadata = {}, {}, [], {}, {}
described, sent = {}, {}  # JSON schemas by name; messages by channel
all_records = list(records(data, 8, summary_start))
assert all_records[0][0] == HEADER and all_records[-1][0] == DATA_END
last_chunk = None
for opcode, content, place in all_records:
    fields = Fields(content)
    if opcode == SCHEMA:
        number, name, encoding = fields.number(2), fields.text(), fields.text()
        schemas[number] = content
        described[name] = json.loads(fields.text())
        assert number > 0 and encoding == "jsonschema" and described[name]["type"] == "object"
        fields.finished()
    elif opcode == CHANNEL:
        number, schema, topic, encoding = fields.number(2), fields.number(2), fields.text(), fields.text()
        assert schema in schemas and encoding == "json" and fields.map(Fields.text, Fields.text) == {}
        channels[number], sent[number] = (topic, content), 0
        fields.finished()
    elif opcode == METADATA:
        name, entries = strings(content)
        metadata[name] = (place, len(content) + 9, entries)
    elif opcode == CHUNK:
        start, end, size, crc, compression = (fields.number(8), fields.number(8), fields.number(8), fields.number(4),
                                              fields.text())
        inside = fields.take(fields.number(8))
        fields.finished()
        assert compression == "" and len(inside) == size and zlib.crc32(inside) == crc != 0, "checksum of a chunk"
        last_chunk = {"place": place, "length": len(content) + 9, "start": start, "end": end, "size": size,
                      "inside": inside, "indices": {}, "messages": {}}
        times = []
        for inner, body, at in records(inside, 0, size):
            assert inner == MESSAGE, inner
            message = Fields(body)
            channel, sequence, log_time, publish_time = (message.number(2), message.number(4), message.number(8),
                                                         message.number(8))
            assert log_time == publish_time and channel in channels
            assert sequence == sent[channel], "messages are numbered"
            sent[channel] += 1
            last_chunk["messages"].setdefault(channel, []).append((log_time, at))
            times.append(log_time)
            messages.append((channel, log_time, json.loads(body[message.at:])))
        assert (min(times), max(times)) == (start, end)
        chunks[place] = last_chunk
    elif opcode == MESSAGE_INDEX:
        channel = fields.number(2)
        entries, body = [], Fields(fields.take(fields.number(4)))
        while body.at < len(body.data):
            entries.append((body.number(8), body.number(8)))
        assert entries == last_chunk["messages"][channel], "an index points elsewhere"
        last_chunk["indices"][channel] = place
        last_chunk["index_end"] = place + 9 + len(content)
        fields.finished()
    elif opcode == DATA_END:
        assert fields.number(4) == zlib.crc32(data[:place]), "checksum of the data section"
    else:
        assert opcode == HEADER, opcode
for chunk in chunks.values():
    assert set(chunk["indices"]) == set(chunk["messages"]), "every channel in a chunk has an index"

# Summary section: grouped by opcode, each group found from its offset.
groups, order = {}, []
for opcode, content, place in records(data, summary_start, offset_start):
    if opcode not in groups:
        order.append(opcode)
        groups[opcode] = (place, [])
    assert order[-1] == opcode, "the summary is not grouped"
    groups[opcode][1].append(content)
offsets = {}
for opcode, content, place in records(data, offset_start, footer_at):
    assert opcode == SUMMARY_OFFSET
    group, start, length = struct.unpack("<BQQ", content)
    offsets[group] = (start, length)
assert offsets == {opcode: (place, sum(len(c) + 9 for c in contents)) for opcode, (place, contents) in groups.items()}
assert groups[SCHEMA][1] == list(schemas.values()) and groups[CHANNEL][1] == [c for _, c in channels.values()]

statistics = Fields(groups[STATISTICS][1][0])
counts = [statistics.number(size) for size in (8, 2, 4, 4, 4, 4, 8, 8)]
times = [time for _, time, _ in messages] or [0]
assert counts == [len(messages), len(schemas), len(channels), 0, len(metadata), len(chunks), min(times), max(times)], counts
per_channel = statistics.map(lambda f: f.number(2), lambda f: f.number(8))
assert per_channel == {c: sum(m[0] == c for m in messages) for c in channels}
statistics.finished()

for content in groups.get(CHUNK_INDEX, (0, []))[1]:
    fields = Fields(content)
    start, end, place, length = (fields.number(8) for _ in range(4))
    indices = fields.map(lambda f: f.number(2), lambda f: f.number(8))
    index_length, compression, compressed, size = fields.number(8), fields.text(), fields.number(8), fields.number(8)
    fields.finished()
    chunk = chunks.pop(place)
    assert (start, end, length, compressed, size) == (chunk["start"], chunk["end"], chunk["length"], chunk["size"],
                                                      chunk["size"])
    assert indices == chunk["indices"] and compression == ""
    assert index_length == chunk["index_end"] - place - length
assert not chunks, "a chunk is not indexed"
for content in groups[METADATA_INDEX][1]:
    fields = Fields(content)
    place, length, name = fields.number(8), fields.number(8), fields.text()
    assert metadata[name][:2] == (place, length)

# The messages are the log.
topics = {number: topic for number, (topic, _) in channels.items()}
with open(csv_path, encoding="utf-8") as file:
    lines = list(file)
header, *rows = csv.reader(line for line in lines if not line.startswith("#"))
samples = [(time, m) for c, time, m in messages if topics[c] == "/log"]
events = [m for c, _, m in messages if topics[c] == "/events"]
assert len(samples) == len(rows) and len(events) == sum(line.startswith("# event:") for line in lines)
assert times == sorted(times), "messages are not in order of time"
properties = described["armature.Samples"]["properties"]
headings = [f"{name} [{p['description']}]" if p["description"] else name for name, p in properties.items()]
assert headings == header, (headings, header)
origin = min([0.0] + [float(row[0]) for row in rows])
for (log_time, sample), row in zip(samples, rows):
    assert list(sample) == list(properties)
    assert abs(log_time - (float(row[0]) - origin) * 1e9) < 0.6
    for value, text in zip(sample.values(), row):
        assert (value is None) if math.isnan(float(text)) else value == float(text), (value, text)
print(f"{len(rows)} samples, {len(events)} events, {counts[5]} chunks; {json.dumps(metadata['facts'][2])}")
