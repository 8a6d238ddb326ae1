import { encodeQR } from 'qr'
import './QrCode.css'

/** Modules of light border that a scanner needs around the code. */
const QUIET = 4

/** A text as a QR code. `label` names it for screen readers; the text is shown next to it. */
export function QrCode({ label, text }: { label: string; text: string }) {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET })
  const { length: size } = modules
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={modules.map(rowPath).join('')} />
    </svg>
  )
}

/** The dark modules of a row as squares. */
function rowPath(row: readonly boolean[], y: number): string {
  return row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join('')
}
