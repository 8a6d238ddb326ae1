import { useEffect, useState } from 'react'
import { t } from '../language/text.ts'
import { Button } from './Button.tsx'
import { announce } from './dialog/announce.ts'
import { Icon } from './Icon.tsx'
import './Copy.css'

/** A line with a copy button. `label` names it, above the line and on the button. */
export function CopyLine({ label, text }: { label: string; text: string }) {
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
  return (
    <div>
      <div className="copy-head">
        <p>{label}</p>
        <Button small onClick={copy}>
          <Icon name={copied ? 'done' : 'copy'} size={14} />
          {copied ? t('Copied') : t('Copy')}
          <span className="visually-hidden">{label}</span>
        </Button>
      </div>
      <pre className="copy-text">
        <code>{text}</code>
      </pre>
    </div>
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
