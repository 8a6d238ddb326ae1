import type { ReactNode } from 'react'
import './Badge.css'

export type BadgeKind = 'plain' | 'good' | 'warn' | 'danger'

export function Badge({ kind = 'plain', children }: { kind?: BadgeKind; children: ReactNode }) {
  return <span className={`badge badge-${kind}`}>{children}</span>
}
