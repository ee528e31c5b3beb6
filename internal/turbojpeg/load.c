#include "load.h"

#include <dlfcn.h>
#include <stdio.h>

int turbojpeg_load(turbojpeg *table, const char *path, char *message, int size)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL) {
		snprintf(message, size, "%s", dlerror());
		return -1;
	}
	const struct {
		const char *name;
		void **function;
	} wanted[] = {
		{"tjInitDecompress", (void **)&table->init_decompress},
		{"tjDecompressHeader3", (void **)&table->decompress_header},
		{"tjDecompress2", (void **)&table->decompress},
		{"tjGetErrorStr2", (void **)&table->last_error},
		{"tjDestroy", (void **)&table->destroy},
	};
	for (unsigned i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
		*wanted[i].function = dlsym(library, wanted[i].name);
		if (*wanted[i].function == NULL) {
			snprintf(message, size, "it has no function %s", wanted[i].name);
			dlclose(library);
			return -1;
		}
	}
	return 0;
}

enum {
	FORMAT_RGBA = 7,        // TJPF_RGBA: the alpha written is 255
	STOP_ON_WARNING = 8192, // TJFLAG_STOPONWARNING
	LIMIT_SCANS = 32768     // TJFLAG_LIMITSCANS: refuses files made to take minutes
};

int turbojpeg_decode(const turbojpeg *table, const unsigned char *data, unsigned long data_size,
	int full_width, int full_height, unsigned char *pixels, int width, int height, char *message, int size)
{
	int header_width, header_height, subsampling, colourspace;
	void *handle = table->init_decompress();
	if (handle == NULL) {
		snprintf(message, size, "no memory");
		return -1;
	}
	int failed = table->decompress_header(handle, data, data_size,
		&header_width, &header_height, &subsampling, &colourspace);
	if (failed) {
		snprintf(message, size, "%s", table->last_error(handle));
	} else if (header_width != full_width || header_height != full_height) {
		snprintf(message, size, "the header says %d x %d", header_width, header_height);
		failed = -1;
	} else {
		failed = table->decompress(handle, data, data_size, pixels, width, 4 * width, height,
			FORMAT_RGBA, STOP_ON_WARNING | LIMIT_SCANS);
		if (failed)
			snprintf(message, size, "%s", table->last_error(handle));
	}
	table->destroy(handle);
	return failed;
}
