import type { ReactNode } from 'react'
import { Icon, type IconName } from '../Icon.tsx'
import './Note.css'

type NoteProps = {
  kind?: 'plain' | 'warn' | 'danger' | 'good'
  /** Screen readers announce it at once. */
  alert?: boolean
  children: ReactNode
}

const ICONS: Record<string, IconName> = { warn: 'warning', danger: 'error', good: 'done' }

export function Note({ kind = 'plain', alert, children }: NoteProps) {
  const icon = ICONS[kind]
  return (
    <div className={`note note-${kind}`} role={alert === true ? 'alert' : undefined}>
      {icon !== undefined && <Icon name={icon} size={18} />}
      <div className="note-body">{children}</div>
    </div>
  )
}
