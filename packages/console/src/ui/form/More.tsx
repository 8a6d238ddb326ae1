import type { ReactNode } from 'react'
import { t } from '../../language/text.ts'

type MoreProps = { label?: string; isOpen?: boolean; children: ReactNode }

/** Text or fields for those who ask for them. It opens by itself for a fault in it. */
export function More({ label = t('More'), isOpen, children }: MoreProps) {
  return (
    <details className="more" open={isOpen}>
      <summary>{label}</summary>
      <div className="stack">{children}</div>
    </details>
  )
}
