const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/i

/** Whether what is sent to an IP address never leaves the machine. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address)
}
