import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4, isIPv6 } from 'node:net'

/** The addresses and other names of a name, or a code of failure; null: no answer. */
export type NameAnswer = readonly string[] | 'unknown' | 'failed' | null

export type NameServer = {
  /** For `Resolver.setServers`. */
  readonly address: string
  /** The names that were asked for, each as often as it was. */
  readonly asked: string[]
  /** Answers the following queries. An address of the other family is left out. */
  answer(how: (name: string) => NameAnswer): void
  close(): Promise<void>
}

const HEADER_BYTES = 12
const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const
const CODES = { unknown: 3, failed: 2 } as const
const TTL_S = 0

/** A name server on the loopback interface, over UDP. */
export async function openNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  let how: (name: string) => NameAnswer = () => 'unknown'
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query)
    asked.push(name)
    const found = how(name)
    if (found === null) return
    const records = typeof found === 'string' ? [] : recordsOf(name, found, type)
    const header = Buffer.from(query.subarray(0, HEADER_BYTES))
    header.writeUInt16BE(0x81_80 | (typeof found === 'string' ? CODES[found] : 0), 2)
    header.writeUInt16BE(records.length, 6)
    // Without the additional records of the query.
    header.writeUInt32BE(0, 8)
    socket.send([header, query.subarray(HEADER_BYTES, end), ...records], port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    answer(next) {
      how = next
    },
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** Each name among the answers is an alias of the one before it, and addresses are those of the last one. */
function recordsOf(asked: string, found: readonly string[], wanted: number): Buffer[] {
  const records: Buffer[] = []
  let owner = asked
  for (const each of found) {
    const data = addressBytes(each)
    if (data === null) {
      records.push(recordOf(owner, TYPES.CNAME, nameBytes(each)))
      owner = each
    } else {
      const type = data.length === 4 ? TYPES.A : TYPES.AAAA
      if (type === wanted) records.push(recordOf(owner, type, data))
    }
  }
  return records
}

function recordOf(owner: string, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10)
  fields.writeUInt16BE(type, 0)
  fields.writeUInt16BE(1, 2)
  fields.writeUInt32BE(TTL_S, 4)
  fields.writeUInt16BE(data.length, 8)
  return Buffer.concat([nameBytes(owner), fields, data])
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

/** Null if it is not an address. IPv6 is written in hexadecimal groups. */
function addressBytes(text: string): Buffer | null {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number))
  if (!isIPv6(text)) return null
  const groupsOf = (part = '') => (part === '' ? [] : part.split(':'))
  const [head = [], tail = []] = text.split('::').map(groupsOf)
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  const groups = [...head, ...zeros, ...tail]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
