/* SPDX-License-Identifier: Apache-2.0
 *
 * gradients FILE [--write]: the levels of detail that gradients give, against a card's: each texel is its level's number, so a fetch with linear
 * filters gives the level.  It must be within 3/256; at least three quarters must be equal.  --write: prints the file with the levels of the
 * device at hand. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#define OK(call)                                                                            \
    do {                                                                                    \
        cudaError_t error_ = (call);                                                        \
        if (error_ != cudaSuccess) {                                                        \
            printf("%d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error_));              \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

static const double MOST = 3;

struct Row {
    char     shape[8];
    unsigned size[3];
    float    at[3], dx[3], dy[3];
    int      level;
};

__global__ void fetch(cudaTextureObject_t t, const Row *row, float *out)
{
    const Row &r = row[blockIdx.x];
    float4     dx = make_float4(r.dx[0], r.dx[1], r.dx[2], 0), dy = make_float4(r.dy[0], r.dy[1], r.dy[2], 0);
    switch (r.shape[0]) {
    case '1': *out = tex1DGrad<float>(t, r.at[0], dx.x, dy.x); break;
    case '2': *out = tex2DGrad<float>(t, r.at[0], r.at[1], make_float2(dx.x, dx.y), make_float2(dy.x, dy.y)); break;
    case '3': *out = tex3DGrad<float>(t, r.at[0], r.at[1], r.at[2], dx, dy); break;
    default: *out = texCubemapGrad<float>(t, r.at[0], r.at[1], r.at[2], dx, dy); break;
    }
}

static unsigned half(unsigned size, unsigned level)
{
    return size >> level ? size >> level : 1;
}

static cudaTextureObject_t texture(const Row &r)
{
    bool                  cube = r.shape[0] == 'c';
    cudaChannelFormatDesc d    = cudaCreateChannelDesc<float>();
    cudaExtent            e    = make_cudaExtent(r.size[0], r.shape[0] == '1' ? 0 : r.size[1], cube || r.shape[0] == '3' ? r.size[2] : 0);
    cudaMipmappedArray_t  mip;
    unsigned              levels = 1;
    while (r.size[0] >> levels)
        levels++;
    OK(cudaMallocMipmappedArray(&mip, &d, e, levels, cube ? cudaArrayCubemap : 0));
    for (unsigned l = 0; l < levels; l++) {
        cudaArray_t        a;
        size_t             w = half(r.size[0], l), h = half(r.size[1], l), n = cube ? 6 : half(r.size[2], l);
        std::vector<float> texels(w * h * n, (float)l);
        cudaMemcpy3DParms  p = {};
        OK(cudaGetMipmappedArrayLevel(&a, mip, l));
        p.srcPtr = make_cudaPitchedPtr(texels.data(), w * sizeof(float), w, h);
        p.dstArray = a, p.extent = make_cudaExtent(w, h, n), p.kind = cudaMemcpyHostToDevice;
        OK(cudaMemcpy3D(&p));
    }
    cudaResourceDesc resource = {};
    cudaTextureDesc  sampler  = {};
    resource.resType = cudaResourceTypeMipmappedArray, resource.res.mipmap.mipmap = mip;
    sampler.filterMode = sampler.mipmapFilterMode = cudaFilterModeLinear;
    sampler.normalizedCoords = 1, sampler.maxMipmapLevelClamp = 20, sampler.seamlessCubemap = cube;
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &resource, &sampler, NULL));
    return t;
}

static float bits(const char *hex)
{
    uint32_t u = (uint32_t)strtoul(hex, NULL, 16);
    float    f;
    memcpy(&f, &u, 4);
    return f;
}

static bool read_row(const char *line, Row &r)
{
    char x[9][16];
    if (sscanf(line, "%7s %u %u %u %15s %15s %15s %15s %15s %15s %15s %15s %15s %d", r.shape, &r.size[0], &r.size[1], &r.size[2], x[0], x[1],
               x[2], x[3], x[4], x[5], x[6], x[7], x[8], &r.level) != 14)
        return false;
    for (int k = 0; k < 3; k++)
        r.at[k] = bits(x[k]), r.dx[k] = bits(x[3 + k]), r.dy[k] = bits(x[6 + k]);
    return true;
}

int main(int argc, char **argv)
{
    std::map<std::string, cudaTextureObject_t> textures;
    FILE                                      *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    char                                       line[512];
    Row                                        r, *row;
    float                                     *out, level;
    unsigned                                   n = 0, equal = 0, wrong = 0;
    if (!f)
        return 2;
    OK(cudaMalloc(&row, sizeof *row));
    OK(cudaMalloc(&out, sizeof *out));
    while (fgets(line, sizeof line, f)) {
        if (!read_row(line, r)) {
            if (argc > 2)
                fputs(line, stdout);
            continue;
        }
        std::string key = std::string(r.shape) + " " + std::to_string(r.size[0]) + " " + std::to_string(r.size[1]);
        if (!textures.count(key))
            textures[key] = texture(r);
        OK(cudaMemcpy(row, &r, sizeof r, cudaMemcpyHostToDevice));
        fetch<<<1, 1>>>(textures[key], row, out);
        OK(cudaMemcpy(&level, out, sizeof level, cudaMemcpyDeviceToHost));
        double off = std::fabs(256.0 * level - r.level);
        n++, equal += off == 0, wrong += !(off <= MOST);
        if (argc > 2)
            printf("%.*s\t%d\n", (int)(strrchr(line, '\t') - line), line, (int)(256 * level));
        else if (!(off <= MOST))
            printf("level %g, the card's is %g: %s", (double)level, r.level / 256.0, line);
    }
    if (argc == 2)
        printf("%u levels, %u equal, %u not within %g/256\n", n, equal, wrong, MOST);
    return argc == 2 && (!n || wrong || 4 * equal < 3 * n);
}
