import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { areCredentials, withoutCredentials } from '#shared/domain/investigation/credentials.ts'

const HEX = '0123456789abcdef0123456789abcdef'

describe('credentials in a text', () => {
  it.each([
    ['  password: "hunter2hunter2"', '  password: •••'],
    ["API_KEY = 'abcdef123456'", 'API_KEY = •••'],
    ['clientSecret: abcdef123456,', 'clientSecret: •••,'],
    ['PGPASSWORD=x psql', 'PGPASSWORD=••• psql'],
    ['password: 123456', 'password: •••'],
    ['DB_PASSWORD=a,b;c', 'DB_PASSWORD=•••;c'],
    ['passwordAdmin=zzz', 'passwordAdmin=•••'],
    ['api key: abcd1234', 'api key: •••'],
    ['login(user=till, password=abc)', 'login(user=till, password=•••)'],
    ['{"user":"x","password":"hunter2"}', '{"user":"x","password":•••}'],
    ['{\\"password\\":\\"hunter2\\",\\"a\\":1}', '{\\"password\\":•••,\\"a\\":1}'],
    ['Server=db;User Id=sa;Password=a(b;Timeout=3', 'Server=db;User Id=sa;Password=•••;Timeout=3'],
    ['AccountKey=aGVsbG8=;Suffix=x', 'AccountKey=•••;Suffix=x'],
    ['https://a.example/?token=abcd&b=1', 'https://a.example/?token=•••&b=1'],
    ['orders-db: password=abcdef', 'orders-db: password=•••'],
    ['token_type: password=abc', 'token_type: password=•••'],
    ['password=•••', 'password=•••'],
  ])('are known by the name that they are given to: %s', (text, told) => {
    expect(withoutCredentials(text)).toBe(told)
  })

  it.each([
    ['url: postgres://till:s3cr3t@db:5432/till', 'url: postgres://till:•••@db:5432/till'],
    ['redis://:pa/ss@wo@cache:6379/0', 'redis://:•••@cache:6379/0'],
    [`https://${HEX}@errors.example/1`, 'https://•••@errors.example/1'],
    [`https://a.example/?X-Amz-Signature=${HEX}&b=1`, 'https://a.example/?X-Amz-Signature=•••&b=1'],
    ['https://hooks.slack.com/services/T0/B0/x1', 'https://hooks.slack.com/services/•••'],
    ['Authorization: Bearer abc.def.ghi1', 'Authorization: Bearer •••'],
    ['authorization: abc12345xyz', 'authorization: •••'],
    ['Cookie: session=abc123; theme=dark', 'Cookie: session=•••; theme=dark'],
    ['mysql --password hunter2 -u x', 'mysql --password ••• -u x'],
    ["ALTER USER x IDENTIFIED BY 'pw'", 'ALTER USER x IDENTIFIED BY •••'],
    ['<password>x</password>', '<password>•••</password>'],
  ])('are known by where they stand: %s', (text, told) => {
    expect(withoutCredentials(text)).toBe(told)
  })

  it.each([
    'AKIAABCDEFGHIJKLMNOP',
    'ghp_abcdefghijklmnopqrstuvwxyz0123',
    `github_pat_${HEX}`,
    `glpat-${HEX}`,
    `xoxb-1-${HEX}`,
    `sk_live_${HEX}`,
    `AIza${HEX}`,
    `SG.${HEX}.${HEX}`,
    `eyJhbGciOiJIUzI1NiJ9.${HEX}.x-y`,
    '-----BEGIN RSA PRIVATE KEY-----MIIE',
    '-----BEGIN PRIVATE KEY-----\nMIIE\nabc=\n-----END PRIVATE KEY-----',
  ])('are known by their form: %s', (credential) => {
    expect(withoutCredentials(`key ${credential}`)).toBe('key •••')
  })

  it.each([
    ['key = AKIAABC…', 'key = •••…'],
    ['see ghp_abc…', 'see •••…'],
    ['postgres://till:s3c…', 'postgres://till:•••…'],
    ['password: "hunter two…', 'password: •••'],
  ])('are known where the text was cut through them: %s', (text, told) => {
    expect(withoutCredentials(text)).toBe(told)
  })

  it('are known in a line of a private key that stands alone, and a digest is none', () => {
    const line = `MIIEowIBAAKCAQEA${'aB3/'.repeat(12)}`
    expect(withoutCredentials(`  ${line}`)).toBe('  •••')
    expect(withoutCredentials(HEX + HEX)).toBe(HEX + HEX)
  })

  it.each([
    '  secretName: till-db-credentials',
    'token_ttl: 3600s',
    'const token = request.headers.authorization',
    'const token = readToken(request)',
    'passwordFile: /run/secrets/till',
    'pool_size: 5',
    'max_tokens: 100',
    'token: string',
    `token: $${'{'}TOKEN}`,
    'password: null',
    'error: invalid token: signature mismatch',
    'token: expired',
    'secrets: rotate what the database uses',
    'MountVolume.SetUp failed for volume "db-secret" : secret "x" not found',
    'https://host:443/users/me@example.com',
    'Basic authentication failed',
    'cache_key: user:12345678',
    'a.b.c=d, e=f',
    'the password is wrong',
  ])('are not seen where there is none: %s', (text) => {
    expect(withoutCredentials(text)).toBe(text)
  })

  it('stay hidden, and nothing else goes, where a text is told again', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'password',
        'token',
        'api_key',
        'token_ttl',
        '=',
        ': ',
        '"',
        "'",
        '://',
        '@',
        ',',
        ';',
        '&',
        ' ',
      ),
      fc.constantFrom('•••', '…', '\\', '(', ')', '{', '}', 'Bearer ', '--secret ', `ghp_${HEX}`, '\n'),
      fc.string({ maxLength: 8 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const told = withoutCredentials(pieces.join(''))
        expect(withoutCredentials(told)).toBe(told)
      }),
      { numRuns: 2_000 },
    )
  })

  it('are hidden whatever stands around them', () => {
    const around = fc.stringMatching(/^[a-z0-9 .,;:(){}[\]<>=-]{0,30}$/)
    const secret = fc.stringMatching(/^[A-Z][a-z]{3}[0-9]{4}[a-z]{4}$/)
    fc.assert(
      fc.property(around, secret, around, (before, value, after) => {
        for (const text of [`password="${value}"`, `api_key=${value}`, `postgres://u:${value}@h/d`])
          expect(withoutCredentials(`${before} ${text} ${after}`)).not.toContain(value)
      }),
      { numRuns: 500 },
    )
  })
})

describe('values of a setting', () => {
  it.each([
    ['db_password', ['old', 'new']],
    ['payments/API_KEY', ['1', '2']],
    ['Rotate the signing secret of checkout', ['v1', 'v2']],
    ['api_token', ['', 'abc']],
    ['client.secret', ['true story', 'x']],
  ])('are credentials by the name %j', (words, values) => {
    expect(areCredentials(words, values)).toBe(true)
  })

  it.each([
    ['token_ttl', ['3600', '60']],
    ['max_tokens', ['100', '10']],
    ['token bucket', ['10', '20k']],
    ['require_password', ['true', 'false']],
    ['secretName', ['a', 'b']],
    ['pool_size', ['50', '5']],
    ['', ['a', 'b']],
  ])('are none by the name %j', (words, values) => {
    expect(areCredentials(words, values)).toBe(false)
  })
})
