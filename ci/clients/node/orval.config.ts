/** How `npm run check:clients` generates a client with orval. */
export default {
  vitrine: {
    input: { target: process.env.VITRINE_DOCUMENT },
    output: {
      target: './orval-client.ts',
      client: 'fetch',
      baseUrl: process.env.VITRINE_API,
    },
  },
};
