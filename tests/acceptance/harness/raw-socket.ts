import { connect } from 'node:net'
import { noteAnswer } from './asked.ts'
import type { Json } from './fleetgate.ts'

export type RawAnswer = {
  /** All bytes from the server until it closed, as Latin-1. */
  text: string
  status: number
  /** Header names in lower case. */
  headers: Record<string, string>
  body: string
  json: Json
  tookMs: number
}

/**
 * Sends bytes that no HTTP client would, and collects the answer until the server closes the connection. Rejects
 * if the connection is still open after `patienceMs`: a hang is a failure.
 */
export function exchange(port: number, bytes: string, patienceMs = 12_000): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`still open after ${patienceMs} ms, having sent ${text().slice(0, 200)}`))
    }, patienceMs)
    const text = () => Buffer.concat(chunks).toString('latin1')
    socket.on('data', (chunk) => chunks.push(chunk))
    // A reset after the answer counts as a close.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(parse(bytes, text(), performance.now() - startedAt))
    })
  })
}

/** Sends bytes and resolves with the first complete answer; the connection stays open until then. */
export function firstAnswer(port: number, bytes: Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('latin1').on('error', reject)
    socket.on('close', () => reject(new Error(`closed, having sent ${text.slice(0, 200)}`)))
    socket.on('data', (chunk: string) => {
      text += chunk
      if (!text.includes('\r\n\r\n')) return
      const answer = parse(bytes.toString('latin1'), text, performance.now() - startedAt)
      if (answer.body.length < Number(answer.headers['content-length'])) return
      resolve(answer)
      socket.destroy()
    })
  })
}

function parse(sent: string, text: string, tookMs: number): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  const status = Number(statusLine.split(' ')[1])
  const named = Object.fromEntries(headers)
  noteAnswer(sent.slice(0, sent.indexOf('\r\n')), status, named, Buffer.from(body, 'latin1'))
  return {
    text,
    status,
    headers: named,
    body,
    tookMs,
    get json() {
      return JSON.parse(Buffer.from(body, 'latin1').toString())
    },
  }
}
