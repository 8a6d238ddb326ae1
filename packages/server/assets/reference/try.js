/* Starts Scalar. Everything that would contact another host is off. The page's policy would refuse it too. */

const customCss = `
.light-mode, .dark-mode {
  --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  --scalar-font-code: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
.light-mode { --scalar-color-accent: #0f766e; --scalar-background-accent: #0f766e14; }
.dark-mode { --scalar-color-accent: #2dd4bf; --scalar-background-accent: #2dd4bf1a; }
.section:focus-visible { outline: none; }
.scalar-code-block pre, .scalar-code-block pre *, .markdown pre, .markdown pre * {
  width: auto !important;
  white-space: pre-wrap !important;
  overflow-wrap: anywhere;
}
`

/**
 * Scalar shows the example of another media type than JSON if an answer has several, so the page leaves the others out.
 * The text of each answer names them. The reference page has the guide and the schemas.
 */
async function readDescription(...request) {
  const answer = await fetch(...request)
  if (!answer.ok || !answer.url.endsWith('/openapi.json')) return answer
  const description = await answer.json()
  for (const { get } of Object.values(description.paths)) {
    const success = get.responses[200]
    success.content = { 'application/json': success.content['application/json'] }
  }
  return Response.json(description)
}

globalThis.Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  theme: 'default',
  customCss,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  modelsSectionLabel: 'Schemas',
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'apiKey' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  fetch: readDescription,
})
