import { useEffect, useState } from 'react'
import { t } from '../language/text.ts'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'
import { announce } from './toast/announce.ts'
import './Copy.css'

type CopyProps = {
  /** The name of what is copied. */
  label: string
  text: string
}

/** A line with a copy button. `label` is above the line too. */
export function CopyLine({ label, text }: CopyProps) {
  return (
    <div>
      <div className="copy-head">
        <p>{label}</p>
        <CopyButton label={label} text={text} />
      </div>
      <pre className="copy-text">
        <code>{text}</code>
      </pre>
    </div>
  )
}

/** A short value, such as an id, with a copy button after it. */
export function CopyValue({ label, text }: CopyProps) {
  return (
    <span className="copy-value">
      <code>{text}</code>
      <CopyButton isBare label={label} text={text} />
    </span>
  )
}

/** `isBare`: without words that can be seen. */
function CopyButton({ label, text, isBare = false }: CopyProps & { isBare?: boolean }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2_500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    if (await copyText(text)) {
      setCopied(true)
      announce(t('{{label}}: copied', { label }))
    } else announce(t('Your browser did not allow copying. Select the text and copy it by hand.'))
  }
  const word = copied ? t('Copied') : t('Copy')
  const look = isBare ? ({ look: 'quiet', icon: true } as const) : {}
  return (
    <Button
      small
      {...look}
      onClick={copy}
      title={isBare ? t('Copy: {{label}}', { label }) : undefined}
    >
      <Icon name={copied ? 'done' : 'copy'} size={14} />
      {isBare ? <span className="visually-hidden">{word}</span> : word}
      <span className="visually-hidden">{label}</span>
    </Button>
  )
}

/** Over plain HTTP, except on loopback, browsers have only the old clipboard API. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'visually-hidden'
    const before = document.activeElement
    const host = before?.closest('[role="dialog"], [role="alertdialog"]') ?? document.body
    host.append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    if (before instanceof HTMLElement) before.focus()
    return done
  }
}
