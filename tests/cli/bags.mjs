// node bags.mjs FOLDER: writes bags of ROS 2 with other people's libraries (@mcap/core, @foxglove/rosmsg2-serialization, in web/):
// FOLDER/{none,zstd,lz4}.mcap, and FOLDER/messages.json with the same messages as hexadecimal CDR for a .db3.
import { createRequire } from "node:module";
import { open, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(path.join(here, "../../web/package.json"));
const { McapWriter } = require("@mcap/core");
const { parse } = require("@foxglove/rosmsg");
const { MessageWriter } = require("@foxglove/rosmsg2-serialization");
const { ZstdCodec } = require("zstd-codec");
const lz4 = require("lz4js");

const folder = process.argv[2];
const definition = `std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
`;
const writer = new MessageWriter(parse(definition, { ros2: true }));
const rows = JSON.parse(await readFile(path.join(folder, "rows.json"), "utf8"));
const messages = rows.map(({ stamp, names, position, velocity, effort }) => {
  const time = BigInt(stamp);
  return {
    time,
    data: writer.writeMessage({
      header: { stamp: { sec: Number(time / 1000000000n), nanosec: Number(time % 1000000000n) }, frame_id: "base" },
      name: names, position, velocity, effort,
    }),
  };
});
await writeFile(path.join(folder, "messages.json"),
  JSON.stringify(messages.map(({ time, data }) => [time.toString(), Buffer.from(data).toString("hex")])));

const zstd = await new Promise((resolve) => ZstdCodec.run((codec) => resolve(new codec.Simple())));
const compressions = {
  none: undefined,
  zstd: (chunk) => ({ compression: "zstd", compressedData: zstd.compress(chunk) }),
  lz4: (chunk) => ({ compression: "lz4", compressedData: lz4.compress(chunk) }),
};
for (const [name, compressChunk] of Object.entries(compressions)) {
  const file = await open(path.join(folder, `${name}.mcap`), "w");
  let position = 0n;
  const writable = {
    async write(bytes) { position += BigInt((await file.write(bytes)).bytesWritten); },
    position: () => position,
  };
  const mcap = new McapWriter({ writable, compressChunk, chunkSize: 20000 });
  await mcap.start({ profile: "ros2", library: "another" });
  const schemaId = await mcap.registerSchema({ name: "sensor_msgs/msg/JointState", encoding: "ros2msg", data: new TextEncoder().encode(definition) });
  const channelId = await mcap.registerChannel({ topic: "/joint_states", schemaId, messageEncoding: "cdr", metadata: new Map() });
  const other = await mcap.registerChannel({ topic: "/chatter", schemaId: 0, messageEncoding: "cdr", metadata: new Map() });
  await mcap.addMessage({ channelId: other, sequence: 0, logTime: messages[0].time, publishTime: messages[0].time, data: new Uint8Array([1, 2, 3]) });
  for (const [sequence, { time, data }] of messages.entries())
    await mcap.addMessage({ channelId, sequence, logTime: time + 700000n, publishTime: time, data });
  await mcap.end();
  await file.close();
}
