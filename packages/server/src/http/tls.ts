/** Settings of every TLS listener: 1.2 and 1.3, with forward secrecy and authenticated encryption. */
export const TLS_OPTIONS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
    ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
    ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
    ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ].join(':'),
  honorCipherOrder: true,
  // A client that offers only HTTP/2 is refused in the handshake.
  ALPNProtocols: ['http/1.1'],
  // Before the end of the handshake, no time-out of HTTP runs.
  handshakeTimeout: 5_000,
} as const
