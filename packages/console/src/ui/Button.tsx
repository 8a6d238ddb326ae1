import type { ComponentProps, ReactNode } from 'react'
import { Link } from 'wouter'
import './Button.css'

export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger' | 'remove'

type Look = { look?: ButtonLook; small?: boolean; icon?: boolean }

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & Look & { busy?: boolean }

/** A busy button keeps the focus and ignores presses. */
export function Button({
  look,
  small,
  icon,
  busy = false,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classOf({ look, small, icon })}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {busy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}

/** A link that looks like a button. */
export function ButtonLink({ to, children, ...look }: Look & { to: string; children: ReactNode }) {
  return (
    <Link href={to} className={classOf(look)}>
      {children}
    </Link>
  )
}

/** A link to a file that the server generates. */
export function DownloadLink({
  href,
  children,
  ...look
}: Look & { href: string; children: ReactNode }) {
  return (
    <a href={href} download className={classOf(look)}>
      {children}
    </a>
  )
}

function classOf({
  look = 'plain',
  small = false,
  icon = false,
}: {
  [Key in keyof Look]: Look[Key] | undefined
}): string {
  const looks = {
    primary: ' button-primary',
    plain: '',
    quiet: ' button-quiet',
    danger: ' button-danger',
    remove: ' button-quiet button-remove',
  }
  return `button${looks[look]}${small ? ' button-small' : ''}${icon ? ' button-icon' : ''}`
}
