import { isPlainLine } from '../common/plain-text.ts'

/** The longest name of a device's value, in bytes of UTF-8. */
const MAX_NAME_BYTES = 64

const utf8 = new TextEncoder()

/** Whether a value can have this name, as its device gave it. */
export function isDeviceName(name: string): boolean {
  return name !== '' && utf8.encode(name).length <= MAX_NAME_BYTES && isPlainLine(name)
}
