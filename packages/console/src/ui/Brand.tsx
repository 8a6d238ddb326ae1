import { Link } from 'wouter'
import { t } from '../language/text.ts'

export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#0b6b66" />
      <path
        d="M9 24V8h14M9 16h10"
        fill="none"
        stroke="#fff"
        strokeWidth="3.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="22.6" cy="23" r="2.6" fill="#8ff0e4" />
    </svg>
  )
}

export function Brand() {
  return (
    <Link href="/" className="brand">
      <Mark />
      {t('Fleetgate')}
    </Link>
  )
}
