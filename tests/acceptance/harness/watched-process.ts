import { readFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'

/** The reason to skip a test that reads /proc; false if it can run. */
export const withoutProc = process.platform === 'linux' ? false : 'it reads /proc'

/** The resident memory of a process according to the kernel, in MiB: now, or at its peak. */
export function residentMiB(pid: number, which: 'now' | 'peak' = 'now'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = which === 'now' ? 'VmRSS' : 'VmHWM'
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]) / 1024
}

/** All processes that a process started, directly or not. */
export function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return children
    .filter(Boolean)
    .map(Number)
    .flatMap((child) => [child, ...descendantsOf(child)])
}

/** Whether the port accepts connections. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

/** Sends a request on a connection of its own. Resolves with the head of the answer, of which nothing is read yet. */
export function openAnswer(url: string, key: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': key }
    httpRequest(url, { headers, agent: false }, resolve).on('error', reject).end()
  })
}
