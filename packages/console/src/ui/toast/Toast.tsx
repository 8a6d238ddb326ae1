import { createPortal } from 'react-dom'
import { Cell, useCell } from '../../kept.ts'
import { t } from '../../language/text.ts'
import { Icon } from '../Icon.tsx'
import { announce } from './announce.ts'
import './Toast.css'

type Message = { id: number; text: string }

const STAYS_MS = 6_000
const messages = new Cell<Message[]>([])
let last = 0

/** Reports a success. Errors are shown where they happen, and stay. */
export function toast(text: string): void {
  last += 1
  const id = last
  messages.set([...messages.get().slice(-2), { id, text }])
  announce(text)
  setTimeout(() => dismiss(id), STAYS_MS)
}

export function Toasts() {
  const shown = useCell(messages)
  if (shown.length === 0) return null
  return createPortal(
    <section className="toasts" aria-label={t('Notifications')} data-react-aria-top-layer="true">
      {shown.map(({ id, text }) => (
        <div key={id} className="toast">
          <p>{text}</p>
          <button
            type="button"
            aria-label={t('Dismiss: {{text}}', { text })}
            onClick={() => dismiss(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </section>,
    document.body,
  )
}

function dismiss(id: number): void {
  messages.set(messages.get().filter((each) => each.id !== id))
}
